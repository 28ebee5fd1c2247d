"""Instructions of a function under construction in their final order.

Also sets of opcodes that several passes share: those that propagate NonUniform, RelaxedPrecision and NoContraction.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis import kinds
from hlsl_tool.spirv.builder import ModuleBuilder
from hlsl_tool.spirv.ir import Function, Instruction


def function_body(builder: ModuleBuilder, function: Function) -> Iterator[Instruction]:
    """Yield a function's local variables, then the instructions of its blocks."""
    yield from builder.locals[function.id]
    for block in builder.ordered_blocks(function):
        yield from block.instructions


UNARY = frozenset(
    (
        op.OpSNegate, op.OpFNegate, op.OpNot, op.OpLogicalNot, op.OpBitcast, op.OpConvertFToU, op.OpConvertFToS,
        op.OpConvertSToF, op.OpConvertUToF, op.OpUConvert, op.OpSConvert, op.OpFConvert, op.OpAny, op.OpAll, op.OpIsNan,
        op.OpIsInf, op.OpIsFinite, op.OpTranspose, op.OpBitReverse, op.OpBitCount, op.OpDPdx, op.OpDPdy, op.OpFwidth,
        op.OpDPdxFine, op.OpDPdyFine, op.OpFwidthFine, op.OpDPdxCoarse, op.OpDPdyCoarse, op.OpFwidthCoarse,
        op.OpQuantizeToF16, op.OpCopyLogical,
    )
)  # fmt: skip
"""Opcodes that DXC treats as operations on one value."""

BINARY = frozenset(
    (
        *range(op.OpIAdd, op.OpDot + 1),
        op.OpIAddCarry,
        op.OpISubBorrow,
        op.OpUMulExtended,
        op.OpSMulExtended,
        op.OpLogicalEqual,
        op.OpLogicalNotEqual,
        op.OpLogicalOr,
        op.OpLogicalAnd,
        *range(op.OpIEqual, op.OpFUnordGreaterThanEqual + 1),
        *range(op.OpShiftRightLogical, op.OpBitwiseAnd + 1),
        op.OpOuterProduct,
        op.OpVectorExtractDynamic,
    )
)
"""Opcodes that DXC treats as operations on two values."""

ATOMICS = kinds.ATOMICS | kinds.FLOAT_ATOMICS
"""The atomics that the lowering emits."""
