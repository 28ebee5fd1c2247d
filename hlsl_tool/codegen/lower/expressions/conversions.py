"""Lower cast expressions, using the conversions of `core/casts.py` (manual: *Casting*)."""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.codegen.lower.core import access, casts, constants, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import lowers
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.expressions import enumerators, initializers, literal_types, unions
from hlsl_tool.codegen.lower.expressions.math_modes import math_mode
from hlsl_tool.codegen.lower.resources import buffer_pointers, descriptor_heap
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Enum, Matrix, Scalar, Struct, Type, Vector
from hlsl_tool.spirv import op


@lowers(hir.Cast)
def _cast(ctx: Lowering, e: hir.Cast) -> Value:
    return _KINDS.get(e.kind, _reshape)(ctx, e)


def _noop(ctx: Lowering, e: hir.Cast) -> Value:
    constant = enumerators.converted(ctx, e)
    if constant is not None:
        return constant
    v = ctx.expr(e.operand)
    pointer = buffer_pointers.converted(ctx, v, e.type)
    return pointer or Value(v.id, e.type, v.is_rvalue, v.is_alias, v.bits)


def _contents(ctx: Lowering, e: hir.Cast) -> Value:
    v = access.object_pointer(ctx, e.operand)
    return Value(v.id, e.type, v.is_rvalue)


def _void(ctx: Lowering, e: hir.Cast) -> Value:
    ctx.expr_or_none(e.operand)
    return Value(0, ty.VOID, True)


def _in_mode(ctx: Lowering, e: hir.Cast) -> Value:
    with math_mode(ctx, e.kind):
        return memory.value_of(ctx, e.operand)


def _numeric_cast(ctx: Lowering, e: hir.Cast) -> Value:
    folded = constants.folded(ctx, e)
    if folded is not None:
        return ctx.rvalue(folded, e.type)
    to = e.type.underlying if isinstance(e.type, Enum) else e.type
    if literal_types.is_undecided(e.operand) and isinstance(to, Scalar) and to.is_integer:
        literal = memory.value_of(ctx, literal_types.of_width(e.operand, to.bits))
        return ctx.rvalue(ctx.b.unary(op.OpBitcast, ctx.type(e.type), literal.id), e.type)
    operand = literal_types.of_its_own_width(e.operand) if literal_types.is_undecided(e.operand) else e.operand
    v = memory.value_of(ctx, operand)
    converted = casts.numeric(ctx, v.id, operand.type, e.type)
    return Value(converted, e.type, True) if converted == v.id else ctx.rvalue(converted, e.type)


def _splat(ctx: Lowering, e: hir.Cast) -> Value:
    folded = constants.folded(ctx, e.operand)
    scalar = folded if folded is not None else memory.value_of(ctx, e.operand).id
    return ctx.rvalue(casts.splat(ctx, scalar, e.type), e.type)


def _to_base(ctx: Lowering, e: hir.Cast) -> Value:
    """Return a pointer to the base-class part of an object.

    `access.collect` handles such casts inside a longer chain.
    """
    assert isinstance(e.operand.type, Struct) and isinstance(e.type, Struct)
    base = access.object_pointer(ctx, e.operand)
    indices = [ctx.b.const_uint(i) for i in access.base_indices(ctx, e.operand.type, e.type)]
    return access.chain(ctx, base, indices, e.type)


def _reshape(ctx: Lowering, e: hir.Cast) -> Value:
    """Lower a cast between scalars, vectors and matrices of different shapes: it truncates or rearranges components."""
    b, t = ctx.b, e.type
    if e.kind == "vector_truncate" and isinstance(t, Vector) and t.size > 1:
        folded = constants.folded(ctx, e)
        if folded is not None:
            return ctx.rvalue(folded, t)
    v = memory.value_of(ctx, e.operand).id
    src = e.operand.type
    if e.kind == "vector_truncate":
        n = ty.component_count(t)
        parts = [b.extract(v, i) for i in range(n)]
        return ctx.rvalue(parts[0] if n == 1 else b.construct(ctx.type(t), parts), t)
    if e.kind == "to_scalar":
        if casts.is_matrix(src):
            return ctx.rvalue(b.extract(v, 0, 0), t)
        return ctx.rvalue(b.extract(v, 0) if ty.component_count(src) > 1 else v, t)
    if e.kind == "vector_to_matrix":
        if not casts.is_matrix(t):
            return ctx.rvalue(v, t)
        assert isinstance(t, Matrix)
        rows = [b.shuffle(v, v, range(r * t.cols, (r + 1) * t.cols)) for r in range(t.rows)]
        return ctx.rvalue(b.construct(ctx.type(t), rows), t)
    if e.kind == "matrix_to_vector":
        if not casts.is_matrix(src):
            return ctx.rvalue(v, t)
        first, second = b.extract(v, 0), b.extract(v, 1)
        return ctx.rvalue(b.shuffle(first, second, [0, 1, 2, 3]), t)
    assert e.kind == "matrix_truncate" and isinstance(src, Matrix)
    return ctx.rvalue(_truncate_matrix(ctx, v, src, t), t)


def _truncate_matrix(ctx: Lowering, v: int, src: Matrix, t: Type) -> int:
    b = ctx.b
    n = ty.component_count(t)
    if not casts.is_matrix(src):
        return b.extract(v, 0) if n == 1 else b.shuffle(v, v, range(n))
    assert isinstance(t, Matrix)
    rows: list[int] = []
    for r in range(t.rows):
        row = b.extract(v, r)
        if t.cols == 1:
            row = b.extract(row, 0)
        elif t.cols < src.cols:
            row = b.shuffle(row, row, range(t.cols))
        rows.append(row)
    return rows[0] if len(rows) == 1 else b.construct(ctx.type(t), rows)


_KINDS: dict[str, Callable[[Lowering, hir.Cast], Value]] = {
    "numeric": _numeric_cast,
    "splat": _splat,
    "noop": _noop,
    "derived_to_base": _to_base,
    "const": lambda ctx, e: ctx.expr(e.operand),
    "union": unions.read,
    "to_union": unions.made,
    "strict": _in_mode,
    "fast": _in_mode,
    "contents": _contents,
    "void": _void,
    "flat": initializers.flat_cast,
    "heap": descriptor_heap.load,
}
"""Kind of cast → what lowers it; the others change the shape of a value."""
