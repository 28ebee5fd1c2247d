"""Conversions between the component types of linear algebra: integers are rounded to and saturated."""

from __future__ import annotations

from hlsl_tool.codegen.lower.core import casts
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.linear_algebra import tables
from hlsl_tool.codegen.lower.types.linear_algebra import COMPONENTS, Shape
from hlsl_tool.frontend.sema.model.types import Scalar
from hlsl_tool.spirv import glsl, op

_FLOAT = 9
"""``ComponentType::F32``."""


def scalar(ctx: Lowering, value: int, source: Scalar, target: Scalar) -> int:
    """Return a number with another type."""
    return casts.convert(ctx, ctx.rvalue(saturated(ctx, value, source, target), source), target).id


def saturated(ctx: Lowering, value: int, source: Scalar, target: Scalar) -> int:
    """Return the nearest number of type ``source`` that an integer type represents; other numbers unchanged."""
    if not target.is_integer or source is target:
        return value
    type_id = ctx.type(source)
    if source.category == "float":
        value = ctx.b.glsl(glsl.RoundEven, type_id, value)
    (least, most), (lower, upper) = _range(source), _range(target)
    is_float = source.category == "float"
    lower_function, upper_function = _LIMITS[source.category]
    if is_float or lower > least:
        value = ctx.b.glsl(lower_function, type_id, value, ctx.b.const_scalar(max(lower, least), type_id))
    if is_float or upper < most:
        limit = ctx.b.const_scalar(_at_most(min(upper, most), source), type_id)
        value = ctx.b.glsl(upper_function, type_id, value, limit)
    return value


_LIMITS = {
    "float": (glsl.NMax, glsl.NMin),
    "int": (glsl.SMax, glsl.SMin),
    "uint": (glsl.UMax, glsl.UMin),
}
"""Category → the functions that apply a lower and an upper limit."""
_DIGITS = {16: (11, 16), 32: (24, 128), 64: (53, 1024)}
"""Width of a float → binary digits of its significand, and of its largest number."""


def _range(t: Scalar) -> tuple[int, int]:
    if t.category == "float":
        digits, width = _DIGITS[t.bits]
        largest = ((1 << digits) - 1) << (width - digits)
        return -largest, largest
    return (-(1 << (t.bits - 1)), (1 << (t.bits - 1)) - 1) if t.category == "int" else (0, (1 << t.bits) - 1)


def _at_most(limit: int, t: Scalar) -> int:
    """Return the largest number of a type that does not exceed a limit above 0."""
    excess = limit.bit_length() - _DIGITS[t.bits][0] if t.category == "float" else 0
    return limit >> excess << excess if excess > 0 else limit


def component(ctx: Lowering, value: int, shape: Shape, target: int) -> int:
    """Return a matrix with another component type, ``target``."""
    if target == shape.component:
        return value
    result = shape._replace(component=target)
    if shape.category == "float" == result.category:
        if shape.bits == result.bits:
            return component(ctx, component(ctx, value, shape, _FLOAT), shape._replace(component=_FLOAT), target)
        return _emit(ctx, op.OpFConvert, result, value)
    if result.category == "float":
        if target not in COMPONENTS:
            return component(ctx, component(ctx, value, shape, _FLOAT), shape._replace(component=_FLOAT), target)
        return _emit(ctx, op.OpConvertSToF if shape.category == "int" else op.OpConvertUToF, result, value)
    if shape.component not in COMPONENTS:
        value, shape = component(ctx, value, shape, _FLOAT), shape._replace(component=_FLOAT)
    value = _saturated_matrix(ctx, value, shape, COMPONENTS[target])
    if shape.category == "float":
        return _emit(ctx, op.OpConvertFToS if result.category == "int" else op.OpConvertFToU, result, value)
    if shape.bits == result.bits:
        return _emit(ctx, op.OpBitcast, result, value)
    return _emit(ctx, op.OpSConvert if shape.category == "int" else op.OpUConvert, result, value)


def _emit(ctx: Lowering, opcode: int, result: Shape, value: int) -> int:
    return ctx.b.unary(opcode, ctx.types.matrix(result), value)


def _saturated_matrix(ctx: Lowering, value: int, shape: Shape, target: Scalar) -> int:
    """Apply `saturated` to each element that the current thread holds."""
    b, source = ctx.b, COMPONENTS[shape.component]
    (least, most), (lower, upper) = _range(source), _range(target)
    if source.is_integer and lower <= least and most <= upper:
        return value
    type_id = ctx.types.matrix(shape)
    holder = b.local_variable(type_id, "")
    b.store(holder, value)

    def convert(index: int) -> None:
        place = b.access_chain(ctx.type(source), holder, [index])
        b.store(place, saturated(ctx, b.load(place), source, target))

    length = b.emit_raw(op.OpCooperativeMatrixLengthKHR, b.u32(), type_id)
    tables.loop(ctx, b.const_uint(0), length, 1, convert)
    return b.load(holder)
