"""Math modes of HLSL 202x: in the mode ``strict`` arithmetic on floats is done as written.

Unlike ``precise``, a mode concerns the operations in an expression, block or function only, not those on whose results
they depend.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import Decoration

_ARITHMETIC = frozenset((
    op.OpFNegate, op.OpFAdd, op.OpFSub, op.OpFMul, op.OpFDiv, op.OpFRem, op.OpFMod, op.OpDot, op.OpVectorTimesScalar,
    op.OpMatrixTimesScalar, op.OpVectorTimesMatrix, op.OpMatrixTimesVector, op.OpMatrixTimesMatrix, op.OpOuterProduct,
))  # fmt: skip


@contextmanager
def math_mode(ctx: Lowering, mode: str) -> Iterator[None]:
    """Lower what follows in a math mode; the empty one is that of the surrounding code."""
    first = ctx.b.new_id() if mode else 0
    yield
    if not mode or ctx.b.function is None:
        return
    for block in ctx.b.function.blocks:
        for instruction in block.instructions:
            number = instruction.result_id
            if number < first or instruction.op not in _ARITHMETIC or number in ctx.fast_values:
                continue
            if mode == "fast":
                ctx.fast_values.add(number)
            else:
                ctx.b.decorate(number, Decoration.NoContraction)
