"""References, from HLSL 202x on.

A local reference is no variable: its name stands for the l-value to which it is bound, whose indices are evaluated at
the declaration, into hidden variables. A call whose result is a reference is the l-value that the function returns,
with the parameters replaced by the arguments; the function itself returns nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import hlsl_tool.frontend.sema.rules.expressions.check as ex
from hlsl_tool.base.diagnostics.catalogue import modifiers as codes
from hlsl_tool.base.diagnostics.catalogue import sema
from hlsl_tool.base.system.dataclass import fields, replace
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.constants import evaluate_int
from hlsl_tool.frontend.sema.model.types import Type
from hlsl_tool.frontend.sema.rules import type_names
from hlsl_tool.frontend.sema.rules.declarations.function_bodies import analyze_body
from hlsl_tool.frontend.sema.rules.expressions import initializers
from hlsl_tool.frontend.sema.rules.expressions.lvalues import is_const_object, modifiable
from hlsl_tool.frontend.sema.scope.context import Context
from hlsl_tool.frontend.sema.scope.handlers import reference
from hlsl_tool.frontend.syntax import ast

Replace = Callable[[hir.Expr], "hir.Expr | None"]


@reference(ast.Declarator)
def declare(ctx: Context, x: ast.Declarator, t: Type, quals: tuple[str, ...]) -> list[hir.Variable]:
    """Bind the name of a local reference to an l-value; return the variables to declare instead of it."""
    if x.init is None:
        ctx.fail(codes.REFERENCE_UNBOUND, x.pos, name=x.name)
    init = x.init.args[0] if isinstance(x.init, ast.DirectInit) else x.init
    e = ex.contents(ex.check(ctx, init)) if not isinstance(init, ast.InitList) else None
    if e is not None and t is type_names.AUTO:
        t = e.type
    is_range = "&&" in quals
    """Whether it stands for the array of a loop, which may be constant or temporary."""
    if is_range and not isinstance(t, ty.Array):
        ctx.fail(codes.RANGE, x.pos, type=ty.display(t))
    is_const = "const" in quals or is_range
    v = hir.Variable(x.name, t, "local", x.pos, ctx.chunk, is_const, quals, owner=ctx.function)
    ctx.scope.names[x.name] = v
    is_bound = e is not None and e.is_lvalue and _is_part(e) and (e.type is t or _derives(e.type, t))
    if e is None or not is_bound:
        if not is_const:
            _refuse(ctx, x.pos, t, e)
        v.init = initializers.initialize(ctx, init, t, sema.CANNOT_INITIALIZE)
        return [v]
    if not is_const and is_const_object(ctx, e):
        ctx.fail(codes.REFERENCE_CONST, x.pos, type=ty.display(t))
    if not is_const:
        modifiable(ctx, e, x.pos)
    hidden: list[hir.Variable] = []
    alias = _pinned(e, lambda value: _initialised(ctx, hidden, value))
    if e.type is not t:
        alias = hir.Cast("derived_to_base", alias, t, x.pos, is_lvalue=True)
    v.alias = hir.Cast("const", alias, t, x.pos, is_lvalue=True) if is_const and not is_range else alias
    return hidden


def _refuse(ctx: Context, pos: int, t: Type, e: hir.Expr | None) -> NoReturn:
    """Report an expression, or a list in braces, to which a reference of type ``t`` cannot be bound."""
    hint = None
    if isinstance(e, hir.Ternary) and isinstance(e.then, hir.Load) and isinstance(e.otherwise, hir.Load):
        hint = "a conditional expression is a value: choose with 'if', or by the index of an array"
    elif e is not None and e.is_lvalue and not _is_part(e):
        hint = "several components are no part of memory: bind the reference to the vector or matrix"
    is_temporary = e is None or not e.is_lvalue or not _is_part(e)
    ctx.fail(
        codes.REFERENCE_TEMPORARY,
        pos,
        type=ty.display(t),
        what="a temporary of type" if is_temporary else "a value of unrelated type",
        src=ty.display(e.type) if e is not None else "{...}",
        hint=hint,
    )


def _derives(t: Type, base: Type) -> bool:
    return isinstance(t, ty.Struct) and isinstance(base, ty.Struct) and t.derives_from(base)


def _is_part(e: hir.Expr) -> bool:
    """Return whether an l-value is one part of memory: no swizzle of several components."""
    if isinstance(e, hir.MatrixSwizzle):
        return len(e.elements) == 1
    return not isinstance(e, hir.Swizzle) or len(e.components) == 1


def _initialised(ctx: Context, hidden: list[hir.Variable], value: hir.Expr) -> hir.Expr:
    """Return the value of a new hidden variable, which is initialised by ``value``."""
    v = hir.Variable("index", value.type, "local", value.pos, ctx.chunk, init=value, owner=ctx.function)
    hidden.append(v)
    return hir.Load(hir.VarRef(v, v.type, value.pos), v.type, value.pos)


def _pinned(e: hir.Expr, kept: Callable[[hir.Expr], hir.Expr]) -> hir.Expr:
    """Return an l-value whose indices do not change any more; ``kept`` evaluates one that may."""
    if isinstance(e, hir.Comma):  # the result of a function that returns a reference
        kept(hir.Comma(e.left, hir.Literal_(0, ty.INT, e.pos), ty.INT, e.pos))
        return _pinned(e.right, kept)
    if isinstance(e, hir.Cast):
        return replace(e, operand=_pinned(e.operand, kept))
    if isinstance(e, hir.Index):
        return replace(e, base=_pinned(e.base, kept), index=_stable(e.index, kept))
    if isinstance(e, (hir.Member, hir.Swizzle, hir.MatrixSwizzle)):
        return replace(e, base=_pinned(e.base, kept))
    if isinstance(e, hir.MethodCall):
        return replace(e, object=_pinned(e.object, kept), args=[_stable(a, kept) for a in e.args])
    if isinstance(e, (hir.Assign, hir.CompoundAssign)):
        kept(hir.Comma(e, hir.Literal_(0, ty.INT, e.pos), ty.INT, e.pos))
        return _pinned(e.target, kept)
    if isinstance(e, hir.IncDec):
        kept(hir.Comma(e, hir.Literal_(0, ty.INT, e.pos), ty.INT, e.pos))
        return _pinned(e.operand, kept)
    return e


def _stable(index: hir.Expr, kept: Callable[[hir.Expr], hir.Expr]) -> hir.Expr:
    return index if evaluate_int(index) is not None else kept(index)


def renewed(e: hir.Expr, substitute: Replace = lambda e: None) -> hir.Expr:
    """Return a copy of an expression, whose parts ``substitute`` may replace."""
    other = substitute(e)
    if other is not None:
        return other
    changes: dict[str, Any] = {}
    for f in fields(e):
        value = getattr(e, f.name)
        if isinstance(value, hir.Expr):
            changes[f.name] = renewed(value, substitute)
        elif isinstance(value, list) and value and isinstance(value[0], hir.Expr):
            changes[f.name] = [renewed(item, substitute) for item in value]
    return replace(e, **changes)


@reference(hir.VarRef)
def named(ctx: Context, v: hir.Variable) -> hir.Expr:
    """Return the l-value to which a reference is bound."""
    assert v.alias is not None
    return renewed(v.alias)


# -------------------------------------------------------------------------------------------- results of functions


@reference(ast.Return)
def returned(ctx: Context, s: ast.Return) -> hir.Stmt:
    """Record the l-value that a function with a reference as its result returns."""
    f, source = ctx.function, ctx.source
    assert f is not None and source is not None and f.referred is not None and s.value is not None
    e = ex.check(ctx, s.value)
    if not e.is_lvalue or not _is_part(e) or e.type is not f.referred:
        _refuse(ctx, s.pos, f.referred, e)
    modifiable(ctx, e, s.pos)
    if source.referred is not None:
        ctx.fail(codes.REFERENCE_RETURNS, s.pos)
    root = _root(e)
    for part in _parts(e):
        if not isinstance(part, hir.VarRef):
            continue
        v = part.var
        is_copy = isinstance(v, hir.Param) and v.direction == "in" and "groupshared" not in v.quals
        if v is root and (v.storage == "local" or (is_copy and not isinstance(ty.innermost(v.type), ty.ObjectType))):
            ctx.fail(codes.REFERENCE_LOCAL, s.pos, name=v.name)
        if v.storage == "local" or (is_copy and v in source.changed):
            ctx.fail(codes.REFERENCE_INDEX, s.pos, name=v.name)
    source.referred = e
    return hir.Return(None, s.pos)


def _root(e: hir.Expr) -> hir.Variable | None:
    """Return the variable of which an l-value is a part."""
    while not isinstance(e, hir.VarRef):
        if isinstance(e, (hir.Member, hir.Index, hir.Swizzle, hir.MatrixSwizzle)):
            e = e.base
        elif isinstance(e, (hir.Cast, hir.Load)):
            e = e.operand
        elif isinstance(e, hir.Comma):
            e = e.right
        else:
            return None
    return e.var


def _parts(e: hir.Expr) -> list[hir.Expr]:
    out: list[hir.Expr] = []

    def visit(part: hir.Expr) -> None:
        out.append(part)

    renewed(e, visit)
    return out


@reference(hir.Call)
def called(ctx: Context, call: hir.Call) -> hir.Expr:
    """Return the l-value that a call of a function with a reference as its result denotes."""
    f, pos = call.function, call.pos
    analyze_body(f)
    e = f.source.referred if f.source is not None else None
    if e is None:
        ctx.fail(codes.REFERENCE_RESULT, pos, name=f.name)
    if ctx.source is None:
        ctx.fail(codes.REFERENCE_GLOBAL, pos)
    steps: list[hir.Expr] = []

    def kept(value: hir.Expr) -> hir.Expr:
        v = hir.Variable("argument", value.type, "local", pos, ctx.chunk, owner=ctx.function)
        ctx.source.hidden.append(v)  # type: ignore[union-attr]  # checked above
        place = hir.VarRef(v, v.type, pos)
        steps.append(hir.Assign(place, value, v.type, pos))
        return hir.Load(hir.VarRef(v, v.type, pos), v.type, pos)

    this = _pinned(call.this, kept) if isinstance(call.this, hir.Expr) else None
    given: dict[hir.Variable, hir.Expr] = {}
    for n, (p, a) in enumerate(zip(f.params, call.args, strict=True)):
        is_object = p.direction != "in" or "groupshared" in p.quals
        if is_object and isinstance(a, hir.Load):
            a = a.operand
        call.args[n] = _pinned(a, kept) if is_object else _stable(a, kept)
        given[p] = call.args[n]

    def substitute(part: hir.Expr) -> hir.Expr | None:
        if isinstance(part, hir.This):
            return renewed(this) if this is not None else None
        if isinstance(part, hir.Load) and isinstance(part.operand, hir.VarRef) and part.operand.var in given:
            value = given[part.operand.var]
            return renewed(hir.Load(value, value.type, pos) if value.is_lvalue else value)
        if isinstance(part, hir.VarRef) and part.var in given:
            return renewed(given[part.var])
        return None

    target = renewed(e, substitute)
    if len(f.body.statements if f.body is not None else ()) > 1:
        steps.append(replace(call, this=this, is_lvalue=False, type=ty.VOID))
    for step in reversed(steps):
        target = hir.Comma(step, target, target.type, pos, is_lvalue=True, is_reference=True)
    return target
