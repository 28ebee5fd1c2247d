"""Conversions between numeric types, and reinterpretation of bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction

from ..runtime.code import Step
from ..runtime.values import Array, reinterpreted, signed, unsigned
from .context import Context, builds, pure


def _to_integer(value: Array, dtype: np.dtype[Any]) -> Array:
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
    op.OpConvertFToU: _to_integer,
    op.OpConvertFToS: lambda a, dtype: unsigned(_to_integer(a, _signed_type(dtype))),
    op.OpConvertSToF: lambda a, dtype: signed(a).astype(dtype),
    op.OpConvertUToF: np.ndarray.astype,
    op.OpUConvert: np.ndarray.astype,
    op.OpSConvert: lambda a, dtype: unsigned(signed(a).astype(_signed_type(dtype))),
    op.OpFConvert: np.ndarray.astype,
    op.OpQuantizeToF16: lambda a, _: _quantized(a),
    op.OpConvertPtrToU: np.ndarray.astype,
    op.OpConvertUToPtr: np.ndarray.astype,
}


@builds(*_CONVERSIONS)
def _convert(context: Context, inst: Instruction) -> Step:
    function, dtype = _CONVERSIONS[inst.op], context.numbers_of(inst)
    return pure(lambda a: function(a, dtype), inst.result_id, inst.ints()[:1])


@builds(op.OpBitcast)
def _bitcast(context: Context, inst: Instruction) -> Step:
    dtype, is_vector = context.numbers_of(inst), context.types.of(inst).kind == "vector"

    def bitcast(a: Array) -> Array:
        """Return the bits as another type; the first component has the low bits."""
        if a.dtype.itemsize == dtype.itemsize:
            return a.view(dtype)
        return reinterpreted(a, dtype) if is_vector else reinterpreted(a, dtype)[0]

    return pure(bitcast, inst.result_id, inst.ints())
