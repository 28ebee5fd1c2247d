"""Sets of opcodes that several packages treat in the same manner."""

from __future__ import annotations

from hlsl_tool.spirv import glsl, op, opencl_debug, shader_debug
from hlsl_tool.spirv.enums import BuiltIn, ExecutionModel, RayFlags, StorageClass

# ---------------------------------------------------------------------------------------------------------- types

SCALARS = frozenset((op.OpTypeInt, op.OpTypeFloat, op.OpTypeBool))
ARRAYS = frozenset((op.OpTypeArray, op.OpTypeRuntimeArray))
OPAQUE = frozenset((op.OpTypeImage, op.OpTypeSampler, op.OpTypeSampledImage, op.OpTypeAccelerationStructureKHR))
"""Opaque resource types: SPIR-V does not define what their values consist of."""
HANDLES = OPAQUE | {op.OpTypePointer}
"""Resources, and pointers, which may lead to one."""
FIRST_IS_ELEMENT = ARRAYS | {
    op.OpTypeVector,
    op.OpTypeMatrix,
    op.OpTypeSampledImage,
    op.OpTypeImage,
    op.OpTypeNodePayloadArrayAMDX,
}
"""Types whose first operand is the type of their elements."""

# ------------------------------------------------------------------------------------- constants and declarations

NUMBERS = frozenset((op.OpConstant, op.OpSpecConstant))
"""Constants whose operands are literals, which may look like ids."""
DECORATES = frozenset((op.OpDecorate, op.OpDecorateId, op.OpDecorateString))
MEMBER_DECORATES = frozenset((op.OpMemberDecorate, op.OpMemberDecorateString, op.OpMemberDecorateIdEXT))

RESOURCE_STORAGE = frozenset((StorageClass.UniformConstant, StorageClass.Uniform, StorageClass.StorageBuffer))
"""The storage classes of variables that are bound to descriptors."""

# ---------------------------------------------------------------------------------------------------- instructions

ACCESS_CHAINS = frozenset((op.OpAccessChain, op.OpInBoundsAccessChain))
"""Access chains whose second operand is the first index."""
ALL_CHAINS = ACCESS_CHAINS | {op.OpPtrAccessChain, op.OpInBoundsPtrAccessChain}
ATOMICS = frozenset(range(op.OpAtomicLoad, op.OpAtomicXor + 1))
"""The core's atomics; all but loads, stores and exchanges are on integers."""
FLOAT_ATOMICS = frozenset((op.OpAtomicFAddEXT, op.OpAtomicFMinEXT, op.OpAtomicFMaxEXT))
"""Atomics on floats, which extensions have."""
SUBGROUP = frozenset(range(op.OpGroupNonUniformElect, op.OpGroupNonUniformQuadSwap + 1))
BIT_FIELDS = frozenset((op.OpBitFieldInsert, op.OpBitFieldSExtract, op.OpBitFieldUExtract))
EXT_INSTS = frozenset((op.OpExtInst, op.OpExtInstWithForwardRefsKHR))
DEBUG_SETS = frozenset((opencl_debug.SET, shader_debug.SET))
"""Extended instruction sets of rich debug information."""
CHOICES = frozenset((op.OpPhi, op.OpSelect))

SPARSE_READS = frozenset(
    (*range(op.OpImageSparseSampleImplicitLod, op.OpImageSparseDrefGather + 1), op.OpImageSparseRead)
)
IMAGE_READS = frozenset(range(op.OpImageSampleImplicitLod, op.OpImageRead + 1)) | SPARSE_READS
"""Sampling, fetches, gathers and reads of images, sparse ones included."""

INTERPOLATION = frozenset((glsl.InterpolateAtCentroid, glsl.InterpolateAtSample, glsl.InterpolateAtOffset))
"""Numbers in GLSL.std.450 of the instructions that interpolate an input at a position."""

# ----------------------------------------------------------------------------------------------------- control flow

MERGES = frozenset((op.OpSelectionMerge, op.OpLoopMerge))
RETURNS = frozenset((op.OpReturn, op.OpReturnValue))

# ------------------------------------------------------------------------------------------------------ ray tracing

RAY_TRACING = frozenset(
    (
        ExecutionModel.RayGenerationKHR,
        ExecutionModel.IntersectionKHR,
        ExecutionModel.AnyHitKHR,
        ExecutionModel.ClosestHitKHR,
        ExecutionModel.MissKHR,
        ExecutionModel.CallableKHR,
    )
)
"""Execution models of ray tracing pipelines."""

CULLING_FLAGS = RayFlags.SkipTrianglesKHR | RayFlags.SkipAABBsKHR
"""Ray flags that need RayTraversalPrimitiveCullingKHR."""

_B = BuiltIn

SUBGROUP_INPUTS = frozenset(
    (
        _B.SubgroupSize,
        _B.SubgroupLocalInvocationId,
        _B.SubgroupEqMask,
        _B.SubgroupGeMask,
        _B.SubgroupGtMask,
        _B.SubgroupLeMask,
        _B.SubgroupLtMask,
        _B.WarpIDNV,
        _B.SMIDNV,
    )
)
"""Built-ins that change while a ray tracing shader runs, as it may continue in another subgroup."""
