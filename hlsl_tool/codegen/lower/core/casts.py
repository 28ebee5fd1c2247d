"""Conversions between numeric types (manual: *Casting*)."""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.codegen.lower.core import constants
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Enum, Matrix, Scalar, Type, Vector
from hlsl_tool.spirv import op


def is_matrix(t: Type) -> bool:
    """Return whether a type has several rows and several columns: in SPIR-V a matrix or an array of vectors."""
    return isinstance(t, Matrix) and t.rows > 1 and t.cols > 1


def row_type(t: Type) -> Vector:
    """Return the type of a matrix's row."""
    assert isinstance(t, Matrix)
    return ty.vector(t.element, t.cols)


def each_row(ctx: Lowering, matrix: int, t: Type, result: Type, act: Callable[[int, int], int]) -> int:
    """Apply ``act(row, index)`` to each row of a matrix and construct a matrix of type ``result`` from the results."""
    assert isinstance(t, Matrix)
    rows = []
    for i in range(t.rows):
        row = ctx.b.extract(matrix, i)
        rows.append(act(row, i))
    return ctx.b.construct(ctx.type(result), rows)


def numeric(ctx: Lowering, value: int, src: Type, dst: Type) -> int:
    """Convert a value component by component to a type of the same shape."""
    s, d = ty.element_of(src), ty.element_of(dst)
    assert s is not None and d is not None
    if s is d:
        return value
    if is_matrix(src):
        r_src, r_dst = row_type(src), row_type(dst)
        return each_row(ctx, value, src, dst, lambda row, i: numeric(ctx, row, r_src, r_dst))
    to = ctx.type(dst.underlying if isinstance(dst, Enum) else dst)
    if d.category == "bool":
        return to_bool(ctx, value, src, to)
    if s.category == "bool":
        return ctx.rvalue(ctx.b.select(value, constants.one(ctx, dst), constants.zero(ctx, dst)), dst).id
    if ctx.types.scalar(s) == ctx.types.scalar(d):
        if s.is_integer and s.rank != d.rank and (s.is_min_precision or d.is_min_precision):
            return ctx.rvalue(
                ctx.b.unary(op.OpBitcast, to, value), dst
            ).id  # as in DXC, for types that differ only in HLSL
        return value
    return _convert(ctx, value, s, d, src, to)


def to_bool(ctx: Lowering, value: int, src: Type, to: int) -> int:
    """Convert to boolean by a comparison with zero."""
    s = ty.element_of(src)
    assert s is not None
    if s.category == "bool":
        return value
    opcode = op.OpFOrdNotEqual if s.category == "float" else op.OpINotEqual
    return ctx.b.binary_at_point(opcode, to, value, constants.zero(ctx, src))


def _bits(t: Scalar) -> int:
    return 32 if t.is_literal else t.bits


def _with_bits(ctx: Lowering, src: Type, s: Scalar, bits: int) -> int:
    """Return the id of a type shaped like ``src``, with components of the category of ``s`` and ``bits`` wide."""
    b = ctx.b
    element = b.float_type(bits) if s.category == "float" else b.int_type(bits, s.category == "int")
    n = ty.component_count(src)
    return b.vector(element, n)


def _convert(ctx: Lowering, value: int, s: Scalar, d: Scalar, src: Type, to: int) -> int:
    b = ctx.b
    if s.category == "float":
        if d.category == "float":
            return b.unary(op.OpFConvert, to, value)
        return b.unary(op.OpConvertFToS if d.category == "int" else op.OpConvertFToU, to, value)
    if _bits(s) != _bits(d) and not _is_direct(ctx, s, d):
        widened = _with_bits(ctx, src, s, _bits(d))
        value = b.unary(op.OpSConvert if s.category == "int" else op.OpUConvert, widened, value)
        if widened == to:
            return value
    if d.category == "float":
        return b.unary(op.OpConvertSToF if s.category == "int" else op.OpConvertUToF, to, value)
    return b.unary(op.OpBitcast, to, value)


def _is_direct(ctx: Lowering, s: Scalar, d: Scalar) -> bool:
    """Return whether an integer is converted to a narrower float by one instruction.

    DXC, and therefore ``-fcgl``, first converts to an integer of the float's width, which loses the upper bits.
    """
    return d.category == "float" and _bits(s) > _bits(d) and not ctx.options.codegen_only


def convert(ctx: Lowering, v: Value, to: Type) -> Value:
    """Convert an r-value to a numeric type of the same shape, or splat a scalar."""
    if v.type is to:
        return v
    if isinstance(v.type, (Scalar, Enum)) and isinstance(to, (Vector, Matrix)):
        element = ty.element_of(to)
        assert element is not None
        return ctx.rvalue(splat(ctx, numeric(ctx, v.id, v.type, element), to), to)
    if isinstance(v.type, Vector) and isinstance(to, Scalar):
        first = ctx.b.extract(v.id, 0) if v.type.size > 1 else v.id
        return ctx.rvalue(numeric(ctx, first, v.type.element, to), to)
    return ctx.rvalue(numeric(ctx, v.id, v.type, to), to)


def splat(ctx: Lowering, value: int, t: Type, *, is_folded: bool = True) -> int:
    """Return a value of type ``t`` with ``value`` in each component.

    The result is a constant if ``value`` is one and ``is_folded`` is set.
    """
    n = ty.component_count(t)
    if n == 1:
        return value
    b = ctx.b
    make = b.const_composite if is_folded and b.is_constant(value) else b.construct
    if is_matrix(t):
        assert isinstance(t, Matrix)
        row = make(ctx.type(row_type(t)), [value] * t.cols)
        return make(ctx.type(t), [row] * t.rows)
    return make(ctx.type(t), [value] * n)


def first(ctx: Lowering, v: Value) -> int:
    """Return the first component of a numeric r-value."""
    if ty.component_count(v.type) == 1:
        return v.id
    return ctx.b.extract(v.id, 0, 0) if is_matrix(v.type) else ctx.b.extract(v.id, 0)


def components(ctx: Lowering, value: int, t: Type) -> list[tuple[int, Scalar]]:
    """Return the scalar components of a numeric r-value, each with its type; a matrix row by row."""
    element = ty.element_of(t)
    assert element is not None
    if is_matrix(t):
        assert isinstance(t, Matrix)
        return [(ctx.b.extract(value, r, c), element) for r in range(t.rows) for c in range(t.cols)]
    n = ty.component_count(t)
    if n == 1:
        return [(value, element)]
    return [(ctx.b.extract(value, i), element) for i in range(n)]
