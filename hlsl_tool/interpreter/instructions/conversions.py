"""Conversions between numeric types, and reinterpretation of bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction

from ..model.types import Type
from ..runtime.code import Step
from ..runtime.values import Array, signed, unsigned
from .context import Context, builds, pure


def to_integer(value: Array, dtype: np.dtype[Any]) -> Array:
    """Convert floats to integers: round towards zero, clamp to the range; NaN becomes 0."""
    limits = np.iinfo(dtype)
    wide = np.trunc(value.astype(np.float64))
    wide = np.where(np.isnan(wide), 0.0, wide)
    top = float(limits.max)
    inside = np.clip(wide, float(limits.min), np.nextafter(top, 0) if dtype.itemsize == 8 else top)
    return np.where(wide >= top, dtype.type(limits.max), inside.astype(dtype))


def _signed_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(f"i{dtype.itemsize}")


def _quantized(value: Array) -> Array:
    """Round to 16-bit floats, whose denormals become zero."""
    half = value.astype(np.float16)
    tiny = np.abs(half) < np.float16(6.104e-5)
    return np.where(tiny, np.copysign(np.float32(0), value), half.astype(np.float32))


_Convert = Callable[[Array, np.dtype[Any]], Array]
_CONVERSIONS: dict[int, _Convert] = {
    op.OpConvertFToU: to_integer,
    op.OpConvertFToS: lambda a, dtype: unsigned(to_integer(a, _signed_type(dtype))),
    op.OpConvertSToF: lambda a, dtype: signed(a).astype(dtype),
    op.OpConvertUToF: lambda a, dtype: a.astype(dtype),
    op.OpUConvert: lambda a, dtype: a.astype(dtype),
    op.OpSConvert: lambda a, dtype: unsigned(signed(a).astype(_signed_type(dtype))),
    op.OpFConvert: lambda a, dtype: a.astype(dtype),
    op.OpQuantizeToF16: lambda a, _: _quantized(a),
    op.OpConvertPtrToU: lambda a, dtype: a.astype(dtype),
    op.OpConvertUToPtr: lambda a, _: a.astype(np.int64),
}


@builds(*_CONVERSIONS)
def _convert(context: Context, inst: Instruction) -> Step:
    function, dtype = _CONVERSIONS[inst.op], context.types.of(inst).dtype
    assert dtype is not None
    return pure(lambda a: function(a, dtype), inst.result_id, inst.ints()[:1])


@builds(op.OpBitcast)
def _bitcast(context: Context, inst: Instruction) -> Step:
    return pure(bitcast(context.type_of(inst.id(0)), context.types.of(inst)), inst.result_id, inst.ints()[:1])


def bitcast(source: Type, target: Type) -> Callable[[Array], Array]:
    """Return the function that reinterprets the bits of a type as another; the first component has the low bits."""
    assert source.dtype is not None
    assert target.dtype is not None
    dtype, size = target.dtype, target.dtype.itemsize
    if source.dtype == dtype:
        return lambda a: a
    if source.dtype.itemsize == size:
        return lambda a: a.view(dtype)
    if source.dtype.itemsize > size:

        def split(a: Array) -> Array:
            parts = np.ascontiguousarray(a)[..., None].view(dtype)
            parts = np.moveaxis(parts, -1, -2)
            return parts.reshape(-1, parts.shape[-1])

        return split

    def join(a: Array) -> Array:
        count = size // source.dtype.itemsize  # type: ignore[union-attr]  # not None, as above
        groups = a.reshape(-1, count, a.shape[-1])
        joined = np.ascontiguousarray(np.moveaxis(groups, 1, -1)).view(dtype)[..., 0]
        return joined if target.shape else joined[0]

    return join
