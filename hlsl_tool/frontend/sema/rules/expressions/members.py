"""Members of structs, swizzles of vectors and matrices, and the length of an array."""

from __future__ import annotations

import re

from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.base.diagnostics.diagnostic import Advice, Edit
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Array, Matrix, ObjectType, Scalar, Struct, Type, Vector
from hlsl_tool.frontend.sema.rules import suggestions
from hlsl_tool.frontend.sema.rules.expressions.check import check, contents
from hlsl_tool.frontend.sema.rules.expressions.names import (
    check_access,
    constant_value,
    in_base,
    instance_reference,
    member_of,
)
from hlsl_tool.frontend.sema.rules.intrinsics import methods
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.sema.scope.handlers import expression
from hlsl_tool.frontend.sema.scope.scopes import Constant, struct_member
from hlsl_tool.frontend.syntax import ast


@expression(ast.Member)
def _member(ctx: Context, e: ast.Member) -> hir.Expr:
    base = contents(check(ctx, e.base))
    if e.arrow:
        ctx.fail(codes.ARROW, e.pos - 1, hint=Advice("write '.'", (Edit("."),)))
    t, name = base.type, e.name.name
    if isinstance(t, Struct):
        return _struct_member(ctx, e, base, t)
    if isinstance(t, (Vector, Scalar)) and ty.is_numeric(t):
        return swizzle(ctx, base, name, e.pos)
    if isinstance(t, Matrix):
        return _matrix_swizzle(ctx, base, t, name, e.pos)
    if isinstance(t, Array) and name == "Length" and t.size is not None:
        return hir.Literal_(t.size, ty.UINT, e.pos)
    if isinstance(t, ObjectType):
        hint = suggestions.for_word(name, methods.methods(t))
        ctx.fail(codes.NO_MEMBER, e.pos, name=name, type=ty.display(t), hint=hint)
    ctx.fail(codes.MEMBER_OF_NON_STRUCT, e.pos, type=ty.display(t))


_LETTERS = frozenset("xyzwrgba")


def _struct_member(ctx: Context, e: ast.Member, base: hir.Expr, t: Struct) -> hir.Expr:
    """Build the access to a field, static member or enumerator of a struct."""
    name = e.name.name
    base = in_base(ctx, base, e.scope, e.pos)
    t = base.type if isinstance(base.type, Struct) else t
    member = struct_member(t, name)
    check_access(ctx, t, name, e.pos)
    if isinstance(member, ty.Field):
        return member_of(ctx, base, member, e.pos)
    if isinstance(member, hir.Variable):
        if t.template_name is not None:
            return instance_reference(ctx, member, e.pos)
        ctx.names(member)
        return hir.VarRef(member, member.type, e.pos)
    if isinstance(member, Constant):
        return constant_value(member, e.pos)
    if isinstance(member, tuple):
        ctx.fail(codes.NOT_A_VALUE, e.pos, name=name, hint="to call it, write its arguments in parentheses")
    ctx.fail(codes.NO_MEMBER, e.pos, name=name, type=ty.display(t), hint=suggestions.for_member(t, name))


_SETS = ("xyzw", "rgba")


def swizzle(ctx: Context, base: hir.Expr, name: str, pos: int) -> hir.Expr:
    """Build ``v.xyz``; a scalar counts as a vector of one component (manual: *Vector swizzling*)."""
    t = base.type
    size = t.size if isinstance(t, Vector) else 1
    if size > 4:
        ctx.fail(codes.LONG_VECTOR_SWIZZLE, pos, name=name, hint="its components are accessed by index: `v[0]`")
    element = ty.element_of(t)
    assert element is not None
    letters = next((s for s in _SETS if name[0] in s), None)
    if letters is None or any(c not in letters for c in name):
        bad = next((c for c in name if not any(c in s for s in _SETS)), None)
        if bad is not None:
            ctx.fail(codes.BAD_SWIZZLE_CHAR, pos, name=bad)
        hint = "a swizzle takes all its letters from 'xyzw' or all from 'rgba'" if set(name) <= _LETTERS else None
        ctx.fail(codes.BAD_SWIZZLE, pos, name=name, hint=hint)
    if len(name) > 4:
        ctx.fail(codes.SWIZZLE_TOO_LONG, pos, name=name)
    indices = tuple(letters.index(c) for c in name)
    if max(indices) >= size:
        ctx.fail(codes.SWIZZLE_RANGE, pos, type=ty.display(t))
    result: Type = element if len(indices) == 1 else ty.vector(element, len(indices))
    return hir.Swizzle(base, indices, result, pos, is_lvalue=base.is_lvalue)


_ZERO_BASED = re.compile(r"(?:_m[0-3][0-3]){1,4}$")


_ONE_BASED = re.compile(r"(?:_[1-4][1-4]){1,4}$")


_ANY_BASED = re.compile(r"(?:_m?\d\d)+$")


def _matrix_swizzle(ctx: Context, base: hir.Expr, t: Matrix, name: str, pos: int) -> hir.Expr:
    if _ZERO_BASED.match(name):
        pairs = tuple((int(a), int(b)) for a, b in re.findall(r"_m(\d)(\d)", name))
    elif _ONE_BASED.match(name):
        pairs = tuple((int(a) - 1, int(b) - 1) for a, b in re.findall(r"_(\d)(\d)", name))
    elif _ANY_BASED.match(name):
        mixed = "_m" in name and re.search(r"_\d", name)
        ctx.fail(codes.MATRIX_SWIZZLE_MIXED if mixed else codes.MATRIX_SWIZZLE_RANGE, pos, name=name)
    else:
        ctx.fail(codes.BAD_MATRIX_SWIZZLE, pos, name=name)
    if any(r >= t.rows or c >= t.cols for r, c in pairs):
        ctx.fail(codes.MATRIX_SWIZZLE_RANGE, pos, name=name)
    result: Type = t.element if len(pairs) == 1 else ty.vector(t.element, len(pairs))
    return hir.MatrixSwizzle(base, pairs, result, pos, is_lvalue=base.is_lvalue)
