"""L-values that are not memory: texels, swizzles, results of assignments, and parts of these.

To write such a part, the whole object is read, changed in a local variable, and written back. `pinned` evaluates the
indices of an l-value once, for an operation that reads and writes it.
"""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.codegen.lower.core import access, memory
from hlsl_tool.codegen.lower.core.assignment import assign
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import assigns
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.expressions import unions
from hlsl_tool.codegen.lower.resources.texels import is_texel
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.constants import evaluate_int

Assignment = hir.Assign | hir.CompoundAssign | hir.IncDec
Part = hir.Index | hir.Member | hir.Swizzle | hir.MatrixSwizzle


def is_memory(e: hir.Expr) -> bool:
    """Return whether an l-value lowers to a pointer."""
    if isinstance(e, (hir.Index, hir.Member)):
        return is_memory(e.base)
    if isinstance(e, hir.Swizzle):
        return (len(e.components) == 1 or ty.component_count(e.base.type) == 1) and is_memory(e.base)
    if isinstance(e, (hir.MatrixSwizzle, hir.Assign)):
        return False
    if isinstance(e, hir.CompoundAssign):
        return is_memory(e.target)
    if isinstance(e, hir.IncDec):
        return not isinstance(e.operand, hir.Swizzle) and is_memory(e.operand)
    if isinstance(e, hir.Comma):
        return is_memory(e.right)
    if isinstance(e, hir.Cast):
        return not unions.is_member(e) and is_memory(e.operand)
    return not is_texel(e)


def pinned(ctx: Lowering, e: hir.Expr, *, for_call: bool = False) -> hir.Expr:
    """Return an equivalent l-value that can be read and written without evaluating its indices' side effects twice.

    ``for_call``: assume that a call between reading and writing changes variables in the indices.
    """
    if ctx.mesh_output(e) is not None:
        return e
    if is_memory(e):
        return e if _is_stable(e, for_call) else _variable(ctx, ctx.expr(e), e.pos)
    if isinstance(e, hir.Comma):
        ctx.expr_or_none(e.left)
        return pinned(ctx, e.right, for_call=for_call)
    if isinstance(e, hir.IncDec):
        operand = pinned(ctx, e.operand, for_call=for_call)
        ctx.expr(replace(e, operand=operand))
        return operand
    if isinstance(e, (hir.Assign, hir.CompoundAssign)):
        target = pinned(ctx, e.target, for_call=for_call)
        ctx.expr(replace(e, target=target))
        return target
    if isinstance(e, hir.Cast):
        return replace(e, operand=pinned(ctx, e.operand, for_call=for_call))
    if isinstance(e, Part):
        base = pinned(ctx, e.base, for_call=for_call)
        if isinstance(e, hir.Index):
            return replace(e, base=base, index=_evaluated(ctx, e.index, for_call))
        return replace(e, base=base)
    assert isinstance(e, hir.MethodCall)
    arguments = [_evaluated(ctx, a, for_call) for a in e.args]
    image = e.object if _is_stable(e.object, for_call) else _variable(ctx, ctx.expr(e.object), e.pos)
    return replace(e, object=image, args=arguments)


def _is_stable(e: hir.Expr, for_call: bool) -> bool:
    """Return whether evaluating an l-value's indices twice gives the same values and no additional side effects."""
    while True:
        if isinstance(e, (hir.Index, hir.MethodCall)):
            indices = [e.index] if isinstance(e, hir.Index) else e.args
            if not all(_is_stable_index(i, for_call) for i in indices):
                return False
        if isinstance(e, Part):
            e = e.base
        elif isinstance(e, (hir.Cast, hir.Load)):
            e = e.operand
        elif isinstance(e, hir.MethodCall):
            e = e.object
        else:
            return isinstance(e, (hir.VarRef, hir.This))


def _is_stable_index(index: hir.Expr, for_call: bool) -> bool:
    return evaluate_int(index) is not None if for_call else access.is_repeatable(index)


def _evaluated(ctx: Lowering, index: hir.Expr, for_call: bool) -> hir.Expr:
    if _is_stable_index(index, for_call):
        return index
    return _variable(ctx, memory.value_of(ctx, index), index.pos)


def _variable(ctx: Lowering, value: Value, pos: int) -> hir.VarRef:
    """Return a reference to a new, nameless HIR variable whose lowered value or pointer is ``value``."""
    variable = hir.Variable("", value.type, "local", pos)
    ctx.locals[variable] = value
    return hir.VarRef(variable, value.type, pos)


@assigns(hir.Index, hir.Member, hir.Cast)
def assign_part(ctx: Lowering, target: Part | hir.Cast, value: Value) -> bool:
    """Assign to a part of an object that is not memory: ``texture[at][i] = x``, ``m._11_22[i] = x``.

    Return false, without an effect, if the target is memory.
    """
    if is_memory(target):
        return False
    place = pinned(ctx, target)
    if is_memory(place):
        assign(ctx, place, value)
        return True
    if isinstance(place, hir.Cast) and unions.is_member(place):
        unions.write(ctx, place, value)
        return True
    whole = _whole(place)
    copy = memory.temporary(ctx, memory.value_of(ctx, whole), "")
    assign(ctx, _in_copy(place, whole, _variable(ctx, copy, place.pos)), value)
    assign(ctx, whole, memory.load(ctx, copy))
    return True


@assigns(hir.Comma)
def _assign_reference(ctx: Lowering, target: hir.Comma, value: Value) -> bool:
    """Assign to the result of a function that returns a reference."""
    ctx.expr_or_none(target.left)
    assign(ctx, target.right, value)
    return True


@assigns(hir.Assign, hir.CompoundAssign, hir.IncDec)
def _assign_result(ctx: Lowering, target: Assignment, value: Value) -> bool:
    """Assign to the result of an assignment, as in ``++(++v.x)``: evaluate the inner one, then store to its target."""
    if is_memory(target):
        return False
    assign(ctx, pinned(ctx, target), value)
    return True


def _base(e: hir.Expr) -> hir.Expr:
    if isinstance(e, hir.Cast):
        return e.operand
    assert isinstance(e, Part)
    return e.base


def _whole(target: hir.Expr) -> hir.Expr:
    """Return the largest object around a target that an assignment to the target must read and write as a whole."""
    whole = _base(target)
    while isinstance(whole, (hir.Index, hir.Member, hir.Cast)) and not unions.is_member(whole):
        whole = _base(whole)
    return whole


def _in_copy(target: hir.Expr, whole: hir.Expr, copy: hir.Expr) -> hir.Expr:
    """Return ``target``, which is a part of ``whole``, as the same part of ``copy``."""
    if target is whole:
        return copy
    base = _in_copy(_base(target), whole, copy)
    if isinstance(target, hir.Cast):
        return replace(target, operand=base)
    assert isinstance(target, Part)
    return replace(target, base=base)
