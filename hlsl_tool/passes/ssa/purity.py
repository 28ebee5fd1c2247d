"""Instructions that can be left out when nobody uses their result."""

from __future__ import annotations

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.ir import Instruction

_PURE = frozenset(
    (
        op.OpUndef, op.OpLoad, op.OpAccessChain, op.OpInBoundsAccessChain, op.OpPtrAccessChain, op.OpArrayLength,
        op.OpImageTexelPointer, *range(op.OpVectorExtractDynamic, op.OpTranspose + 1),
        *range(op.OpSampledImage, op.OpImageRead + 1), *range(op.OpImage, op.OpImageQuerySamples + 1),
        *range(op.OpConvertFToU, op.OpBitcast + 1), *range(op.OpSNegate, op.OpFUnordGreaterThanEqual + 1),
        *range(op.OpShiftRightLogical, op.OpBitCount + 1), *range(op.OpDPdx, op.OpFwidthCoarse + 1), op.OpPhi,
        *range(op.OpImageSparseSampleImplicitLod, op.OpImageSparseDrefGather + 1), op.OpImageSparseRead,
        op.OpImageSparseTexelsResident, op.OpCopyLogical, *range(op.OpSDot, op.OpSUDotAccSat + 1),
    )
)  # fmt: skip
ALWAYS_PURE = _PURE - {op.OpLoad}
_WITH_POINTERS = (glsl.Modf, glsl.Frexp)


def is_pure(inst: Instruction, glsl_set: int) -> bool:
    """Whether the instruction does nothing but make its result."""
    if inst.op == op.OpLoad:
        return len(inst.operands) < 2 or not inst.id(1) & e.MemoryAccess.Volatile
    if inst.op == op.OpExtInst:
        return inst.operands[0] == glsl_set and inst.operands[1] not in _WITH_POINTERS
    return inst.op in _PURE
