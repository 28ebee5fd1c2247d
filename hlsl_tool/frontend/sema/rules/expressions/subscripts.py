"""Subscripts of arrays, vectors, matrices and objects."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.constants import evaluate_int
from hlsl_tool.frontend.sema.model.types import Array, Enum, Matrix, ObjectType, Scalar, Struct, Type, Vector
from hlsl_tool.frontend.sema.rules.expressions import conversions
from hlsl_tool.frontend.sema.rules.expressions.check import check, contents, convert, convert_silently, rvalue
from hlsl_tool.frontend.sema.rules.expressions.intrinsic_calls import as_candidate
from hlsl_tool.frontend.sema.rules.expressions.overloads import method
from hlsl_tool.frontend.sema.rules.intrinsics import methods
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.sema.scope.handlers import expression
from hlsl_tool.frontend.sema.scope.scopes import struct_member
from hlsl_tool.frontend.syntax import ast


@expression(ast.Index)
def _index(ctx: Context, e: ast.Index) -> hir.Expr:
    if isinstance(e.base, ast.Index) and isinstance(e.base.base, ast.Member):
        two = _two_levels(ctx, e, e.base, e.base.base)
        if two is not None:
            return two
    base = contents(check(ctx, e.base))
    t = base.type
    if isinstance(t, Array):
        return _array_element(ctx, base, t, e)
    if isinstance(t, (Vector, Matrix)):
        index = _uint(ctx, e.index)
        limit = t.size if isinstance(t, Vector) else t.rows
        constant = evaluate_int(index)
        if constant is not None and not 0 <= constant < limit:
            code = codes.VECTOR_INDEX_RANGE if isinstance(t, Vector) else codes.MATRIX_INDEX_RANGE
            ctx.fail(code, e.index.pos, index=constant)
        result: Type = t.element if isinstance(t, Vector) else ty.vector(t.element, t.cols)
        return hir.Index(base, index, result, e.pos, is_lvalue=base.is_lvalue)
    if isinstance(t, ObjectType):
        signature = methods.subscript(t)
        if signature is not None:
            location, element, writable = signature
            index = _object_index(ctx, t, check(ctx, e.index), location, e.pos)
            _check_patch_index(ctx, t, index, e.index.pos)
            return hir.MethodCall(
                base,
                "operator[]",
                [index],
                element,
                e.pos,
                ("in",),
                (location,),
                is_lvalue=writable or not t.name.startswith((".", "Texture", "Buffer")),
            )
    if isinstance(t, Struct):
        found_op = struct_member(t, "operator[]")
        if isinstance(found_op, tuple):
            return method(ctx, base, found_op, "operator[]", [check(ctx, e.index)], e.pos, is_operator=True)
    ctx.fail(codes.NOT_SUBSCRIPTABLE, e.pos)


def _object_index(ctx: Context, t: ObjectType, index: hir.Expr, location: Type, pos: int) -> hir.Expr:
    """Convert the index of an object to its location type; report a wrong number of components."""
    components = ty.component_count(index.type) if ty.is_numeric(index.type) or isinstance(index.type, Enum) else 0
    if components != ty.component_count(location) or conversions.classify(index.type, location, explicit=False) is None:
        source, target = ty.display(index.type), as_candidate(location)
        note = ctx.note(codes.SUBSCRIPT_CANDIDATE, pos, src=source, dst=target)
        ctx.fail(codes.NO_SUBSCRIPT, pos, type=ty.display(t), notes=[note])
    return convert(ctx, index, location)


def _check_patch_index(ctx: Context, t: ObjectType, index: hir.Expr, pos: int) -> None:
    """Report a constant index that exceeds the number of control points of a patch."""
    if t.name not in ("InputPatch", "OutputPatch"):
        return
    constant, count = evaluate_int(index), t.args[1]
    if constant is not None and isinstance(count, int) and not 0 <= constant < count:
        ctx.fail(codes.INDEX_RANGE, pos, index=constant)


def _uint(ctx: Context, e: ast.Expr) -> hir.Expr:
    i = rvalue(ctx, e)
    element = ty.element_of(i.type)
    if element is None or element.category == "void":
        ctx.fail(codes.SUBSCRIPT_TYPE, e.pos)
    return convert(ctx, i, ty.UINT)


def _array_element(ctx: Context, base: hir.Expr, t: Array, e: ast.Index) -> hir.Expr:
    i = rvalue(ctx, e.index)
    if isinstance(i.type, Vector) and i.type.size == 1:
        i = convert(ctx, i, i.type.element)
    element = i.type.underlying if isinstance(i.type, Enum) and not i.type.is_class else i.type
    if isinstance(element, Scalar) and element.category == "float":
        i = convert(ctx, i, ty.UINT, keeps_bits=True)
        element = ty.UINT
    if not isinstance(element, Scalar) or not (element.is_integer or element.category == "bool"):
        ctx.fail(codes.SUBSCRIPT_TYPE, e.index.pos)
    if element is ty.LITERAL_INT or isinstance(i.type, Enum):
        i = convert_silently(ctx, i, ty.INT)
    elif element.category == "bool":
        i = convert(ctx, i, ty.UINT)
    constant = evaluate_int(i)
    is_tail = t.size == 1 and isinstance(base, hir.Member)  # `T last[1];` at the end of a struct is C's flexible array
    if constant is not None and t.size is not None and not is_tail and not 0 <= constant < t.size:
        i = _out_of_bounds(ctx, i, constant, t.size, e)
    return hir.Index(base, i, t.element, e.pos, is_lvalue=base.is_lvalue)


def _out_of_bounds(ctx: Context, index: hir.Expr, constant: int, size: int, e: ast.Index) -> hir.Expr:
    """Report a constant index outside of an array; only a warning in HLSL 2016.

    Return the index; a negative one becomes a large unsigned one, as SPIR-V has no negative constant indices.
    """
    if ctx.language.hlsl_version > 2016:
        ctx.fail(codes.INDEX_RANGE, e.index.pos, index=constant)
    if constant < 0:
        ctx.warn(codes.INDEX_BEFORE, e.index.pos, index=constant)
        return convert_silently(ctx, index, ty.UINT)
    ctx.warn(codes.INDEX_PAST, e.index.pos, index=constant, size=size, s="" if size == 1 else "s")
    return index


def _two_levels(ctx: Context, e: ast.Index, inner: ast.Index, member: ast.Member) -> hir.Expr | None:
    """Build ``texture.mips[level][location]`` or ``texture.sample[index][location]``."""
    name = member.name.name
    if name not in ("mips", "sample"):
        return None
    base = check(ctx, member.base)
    if not isinstance(base.type, ObjectType):
        return None
    signature = methods.two_level_subscript(base.type, name)
    if signature is None:
        return None
    location, element = signature
    first = _object_index(ctx, base.type, check(ctx, inner.index), ty.UINT, inner.pos)
    second = _object_index(ctx, base.type, check(ctx, e.index), location, e.pos)
    return hir.MethodCall(
        base, f"{name}.operator[]", [first, second], element, e.pos, ("in", "in"), (ty.UINT, location), is_lvalue=True
    )
