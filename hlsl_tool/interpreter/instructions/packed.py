"""Dot products of integers, also of four bytes in a word."""

from __future__ import annotations

import numpy as np

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction

from ..runtime.code import Step
from ..runtime.values import Array, signed, unsigned
from .arithmetic import packed_dot
from .context import Context, builds, pure

_KINDS = {
    op.OpSDot: (True, True),
    op.OpUDot: (False, False),
    op.OpSUDot: (True, False),
    op.OpSDotAccSat: (True, True),
    op.OpUDotAccSat: (False, False),
    op.OpSUDotAccSat: (True, False),
}
_SATURATING = (op.OpSDotAccSat, op.OpUDotAccSat, op.OpSUDotAccSat)


@builds(*_KINDS)
def _dot(context: Context, inst: Instruction) -> Step:
    left, right = _KINDS[inst.op]
    dtype = context.types.of(inst).dtype
    assert dtype is not None
    if inst.op not in _SATURATING:
        return pure(lambda a, b: packed_dot(a, b, left, right, dtype), inst.result_id, inst.ints()[:2])
    limits = np.iinfo(dtype if not left else f"i{dtype.itemsize}")

    def saturated(a: Array, b: Array, total: Array) -> Array:
        product = packed_dot(a, b, left, right, np.int64)
        summed = product + (signed(total) if left else total).astype(np.int64)
        clipped = np.clip(summed, limits.min, limits.max).astype(limits.dtype)
        return unsigned(clipped)

    return pure(saturated, inst.result_id, inst.ints()[:3])
