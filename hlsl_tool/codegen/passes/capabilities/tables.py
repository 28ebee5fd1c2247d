"""Data: the capabilities and extensions that each feature needs."""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, ImageFormat

_C = Capability
_M = ExecutionMode
_B = BuiltIn
_F = ImageFormat
_D = Decoration
_X = ExecutionModel

ALWAYS = (_C.MinLod, _C.StorageImageWriteWithoutFormat, _C.StorageImageReadWithoutFormat)
"""Declared in every module, and trimmed where nothing uses them."""

IF_ENABLED: tuple[tuple[str, tuple[int, ...]], ...] = (
    (
        "SPV_EXT_fragment_shader_interlock",
        (
            _C.FragmentShaderSampleInterlockEXT,
            _C.FragmentShaderPixelInterlockEXT,
            _C.FragmentShaderShadingRateInterlockEXT,
        ),
    ),
    (
        "SPV_KHR_compute_shader_derivatives",
        (_C.ComputeDerivativeGroupQuadsKHR, _C.ComputeDerivativeGroupLinearKHR),
    ),
    (
        "SPV_NV_compute_shader_derivatives",
        (_C.ComputeDerivativeGroupQuadsKHR, _C.ComputeDerivativeGroupLinearKHR),
    ),
    ("SPV_EXT_shader_subgroup_partitioned", (_C.GroupNonUniformPartitionedEXT,)),
    ("SPV_NV_shader_subgroup_partitioned", (_C.GroupNonUniformPartitionedNV,)),
    ("SPV_KHR_quad_control", (_C.QuadControlKHR,)),
)
"""Declared where the extension is allowed, and trimmed where nothing uses them."""

RAY_OPCODES = frozenset(
    (
        op.OpReportIntersectionKHR,
        op.OpIgnoreIntersectionKHR,
        op.OpTerminateRayKHR,
        op.OpTraceRayKHR,
        op.OpExecuteCallableKHR,
    )
)

WORK_GRAPH_OPCODES = frozenset(
    (
        op.OpConstantStringAMDX,
        op.OpSpecConstantStringAMDX,
        op.OpAllocateNodePayloadsAMDX,
        op.OpEnqueueNodePayloadsAMDX,
        op.OpIsNodePayloadValidAMDX,
        op.OpFinishWritingNodePayloadAMDX,
    )
)

WORK_GRAPH_MODES = frozenset(
    (_M.CoalescingAMDX, _M.MaxNodeRecursionAMDX, _M.StaticNumWorkgroupsAMDX, _M.MaxNumWorkgroupsAMDX)
)

WORK_GRAPH_DECORATIONS = frozenset(
    (
        _D.NodeSharesPayloadLimitsWithAMDX,
        _D.NodeMaxPayloadsAMDX,
        _D.TrackFinishWritingAMDX,
        _D.PayloadNodeNameAMDX,
        _D.PayloadNodeBaseIndexAMDX,
        _D.PayloadNodeSparseArrayAMDX,
        _D.PayloadNodeArraySizeAMDX,
        _D.PayloadDispatchIndirectAMDX,
    )
)

_STENCIL = ("SPV_AMD_shader_early_and_late_fragment_tests", "SPV_EXT_shader_stencil_export")


def _stencil(name: str) -> tuple[tuple[int, ...], tuple[str, ...], str]:
    return (_C.StencilExportEXT,), _STENCIL, f"[[vk::stencil_ref_{name}]]"


MODE_EXTENSIONS: dict[int, tuple[tuple[int, ...], tuple[str, ...], str]] = {
    # mode: (capabilities, extensions, what needs them)
    _M.PostDepthCoverage: (
        (_C.SampleMaskPostDepthCoverage,),
        ("SPV_KHR_post_depth_coverage",),
        "[[vk::post_depth_coverage]]",
    ),
    _M.EarlyAndLateFragmentTestsAMD: (
        (),
        ("SPV_AMD_shader_early_and_late_fragment_tests",),
        "[[vk::early_and_late_tests]]",
    ),
    _M.StencilRefUnchangedFrontAMD: _stencil("unchanged_front"),
    _M.StencilRefGreaterFrontAMD: _stencil("greater_equal_front"),
    _M.StencilRefLessFrontAMD: _stencil("less_equal_front"),
    _M.StencilRefUnchangedBackAMD: _stencil("unchanged_back"),
    _M.StencilRefGreaterBackAMD: _stencil("greater_equal_back"),
    _M.StencilRefLessBackAMD: _stencil("less_equal_back"),
    _M.MaximallyReconvergesKHR: ((), ("SPV_KHR_maximal_reconvergence",), ""),
    _M.PixelInterlockOrderedEXT: (
        (_C.FragmentShaderPixelInterlockEXT,),
        ("SPV_EXT_fragment_shader_interlock",),
        "rasterizer ordered views",
    ),
    _M.RequireFullQuadsKHR: ((_C.QuadControlKHR,), ("SPV_KHR_quad_control",), "[WaveOpsIncludeHelperLanes]"),
}

_DERIVATIVES = (("SPV_KHR_compute_shader_derivatives", "SPV_NV_compute_shader_derivatives"), "compute derivatives")
_RAYS = ("SPV_KHR_ray_query", "SPV_KHR_ray_tracing")

MODE_ALTERNATIVES: dict[int, tuple[tuple[str, ...], str]] = {
    _M.DerivativeGroupQuadsKHR: _DERIVATIVES,
    _M.DerivativeGroupLinearKHR: _DERIVATIVES,
}
"""Execution mode → (alternative extensions, one of which must be allowed; feature's name for errors)."""

OPCODE_ALTERNATIVES: dict[int, tuple[tuple[str, ...], str]] = {
    op.OpTypeAccelerationStructureKHR: ((*_RAYS, "SPV_NV_ray_tracing"), "RaytracingAccelerationStructure"),
    op.OpTypeRayQueryKHR: (_RAYS[:1], "RayQuery"),
    op.OpGroupNonUniformPartitionEXT: (
        ("SPV_NV_shader_subgroup_partitioned", "SPV_EXT_shader_subgroup_partitioned"),
        "WaveMatch",
    ),
}
"""Opcode → (alternative extensions, one of which must be allowed; feature's name for errors)."""

FLOAT_CONTROLS: dict[int, int] = {
    _M.DenormPreserve: _C.DenormPreserve,
    _M.DenormFlushToZero: _C.DenormFlushToZero,
    _M.SignedZeroInfNanPreserve: _C.SignedZeroInfNanPreserve,
}
"""Modes of SPV_KHR_float_controls, which is part of SPIR-V 1.4 → their capabilities."""

_DRAW = "SPV_KHR_shader_draw_parameters"

BUILTIN_RULES: dict[int, tuple[int, str, str]] = {
    # built-in: (capability, extension or "", what needs it)
    _B.SampleId: (_C.SampleRateShading, "", ""),
    _B.SamplePosition: (_C.SampleRateShading, "", ""),
    _B.SubgroupSize: (_C.GroupNonUniform, "", ""),
    _B.NumSubgroups: (_C.GroupNonUniform, "", ""),
    _B.SubgroupId: (_C.GroupNonUniform, "", ""),
    _B.SubgroupLocalInvocationId: (_C.GroupNonUniform, "", ""),
    _B.BaseVertex: (_C.DrawParameters, _DRAW, "BaseVertex Builtin"),
    _B.BaseInstance: (_C.DrawParameters, _DRAW, "BaseInstance Builtin"),
    _B.DrawIndex: (_C.DrawParameters, _DRAW, "DrawIndex Builtin"),
    _B.DeviceIndex: (_C.DeviceGroup, "SPV_KHR_device_group", "DeviceIndex Builtin"),
    _B.FragStencilRefEXT: (_C.StencilExportEXT, "SPV_EXT_shader_stencil_export", "SV_StencilRef"),
    _B.ViewIndex: (_C.MultiView, "SPV_KHR_multiview", "SV_ViewID"),
    _B.FullyCoveredEXT: (_C.FragmentFullyCoveredEXT, "SPV_EXT_fragment_fully_covered", "SV_InnerCoverage"),
    _B.ClipDistance: (_C.ClipDistance, "", ""),
    _B.CullDistance: (_C.CullDistance, "", ""),
    _B.BaryCoordKHR: (_C.FragmentBarycentricKHR, "SPV_KHR_fragment_shader_barycentric", "SV_Barycentrics"),
    _B.BaryCoordNoPerspKHR: (_C.FragmentBarycentricKHR, "SPV_KHR_fragment_shader_barycentric", "SV_Barycentrics"),
    _B.ShadingRateKHR: (_C.FragmentShadingRateKHR, "SPV_KHR_fragment_shading_rate", "SV_ShadingRate"),
    _B.HitTriangleVertexPositionsKHR: (
        _C.RayTracingPositionFetchKHR,
        "SPV_KHR_ray_tracing_position_fetch",
        "TriangleObjectPositions",
    ),
    _B.ClusterIDNV: (
        _C.RayTracingClusterAccelerationStructureNV,
        "SPV_NV_cluster_acceleration_structure",
        "ClusterID",
    ),
    _B.PrimitiveShadingRateKHR: (_C.FragmentShadingRateKHR, "SPV_KHR_fragment_shading_rate", "SV_ShadingRate"),
}
"""Built-ins whose needs do not depend on the stage."""

EXTENDED_FORMATS = frozenset(
    (
        _F.Rg32f, _F.Rg16f, _F.R11fG11fB10f, _F.R16f, _F.Rgba16, _F.Rgb10A2, _F.Rg16, _F.Rg8, _F.R16, _F.R8,
        _F.Rgba16Snorm, _F.Rg16Snorm, _F.Rg8Snorm, _F.R16Snorm, _F.R8Snorm, _F.Rg32i, _F.Rg16i, _F.Rg8i, _F.R16i,
        _F.R8i, _F.Rgb10a2ui, _F.Rg32ui, _F.Rg16ui, _F.Rg8ui, _F.R16ui, _F.R8ui,
    )
)  # fmt: skip
"""Formats that need StorageImageExtendedFormats."""


_ADD, _MIN_MAX = "SPV_EXT_shader_atomic_float_add", "SPV_EXT_shader_atomic_float_min_max"
_MIN_MAX_OF_WIDTH = (
    (16, _C.AtomicFloat16MinMaxEXT),
    (32, _C.AtomicFloat32MinMaxEXT),
    (64, _C.AtomicFloat64MinMaxEXT),
)

FLOAT_ATOMIC_FEATURES: dict[tuple[int, int], tuple[int, str]] = {
    # (opcode, width of the float): (capability, extension)
    (op.OpAtomicFAddEXT, 16): (_C.AtomicFloat16AddEXT, "SPV_EXT_shader_atomic_float16_add"),
    (op.OpAtomicFAddEXT, 32): (_C.AtomicFloat32AddEXT, _ADD),
    (op.OpAtomicFAddEXT, 64): (_C.AtomicFloat64AddEXT, _ADD),
    **{(op.OpAtomicFMinEXT, width): (capability, _MIN_MAX) for width, capability in _MIN_MAX_OF_WIDTH},
    **{(op.OpAtomicFMaxEXT, width): (capability, _MIN_MAX) for width, capability in _MIN_MAX_OF_WIDTH},
}

_REORDER_EXT = (_C.ShaderInvocationReorderEXT, "SPV_EXT_shader_invocation_reorder", "dx::HitObject")
_REORDER_NV = (_C.ShaderInvocationReorderNV, "SPV_NV_shader_invocation_reorder", "dx::HitObject")
_VECTOR = (_C.CooperativeVectorNV, "SPV_NV_cooperative_vector", "dx::linalg")
_TRAINING = (_C.CooperativeVectorTrainingNV, "SPV_NV_cooperative_vector", "dx::linalg")
_USE_CONVERSIONS = (_C.CooperativeMatrixConversionsNV, "SPV_NV_cooperative_matrix2", "dx::linalg")
_CLUSTERS = (_C.RayTracingClusterAccelerationStructureNV, "SPV_NV_cluster_acceleration_structure", "ClusterID")

OPCODE_FEATURES: dict[int, tuple[int, str, str]] = {
    # opcode: (capability, extension, what needs it)
    op.OpTypeHitObjectEXT: _REORDER_EXT,
    op.OpTypeHitObjectNV: _REORDER_NV,
    op.OpReorderThreadWithHintEXT: _REORDER_EXT,
    op.OpReorderThreadWithHintNV: _REORDER_NV,
    op.OpRayQueryGetIntersectionClusterIdNV: _CLUSTERS,
    op.OpHitObjectGetClusterIdNV: _CLUSTERS,
    op.OpRayQueryGetIntersectionTriangleVertexPositionsKHR: (
        _C.RayQueryPositionFetchKHR,
        "SPV_KHR_ray_tracing_position_fetch",
        "TriangleObjectPositions",
    ),
    op.OpCooperativeMatrixConvertNV: _USE_CONVERSIONS,
    op.OpCooperativeMatrixTransposeNV: _USE_CONVERSIONS,
    op.OpFmaKHR: (_C.FMAKHR, "SPV_KHR_fma", "OpFmaKHR"),
    op.OpAbortKHR: (_C.AbortKHR, "SPV_KHR_abort", "OpAbortKHR"),
    op.OpFDot2MixAcc32VALVE: (
        _C.DotProductFloat16AccFloat32VALVE,
        "SPV_VALVE_mixed_float_dot_product",
        "OpFDot2MixAcc32VALVE",
    ),
    op.OpCooperativeVectorMatrixMulNV: _VECTOR,
    op.OpCooperativeVectorMatrixMulAddNV: _VECTOR,
    op.OpCooperativeVectorOuterProductAccumulateNV: _TRAINING,
    op.OpCooperativeVectorReduceSumAccumulateNV: _TRAINING,
}
"""Opcodes that an extension has, whatever their operands are."""

COOPERATIVE_VECTOR_OPCODES = tuple(opcode for opcode, x in OPCODE_FEATURES.items() if x in (_VECTOR, _TRAINING))

HALF_VECTOR_ATOMICS = (_C.AtomicFloat16VectorNV, "SPV_NV_shader_atomic_fp16_vector")
"""Capability and extension of atomics on vectors of two or four 16-bit floats."""


def _opcodes() -> dict[int, tuple[int, ...]]:
    table: dict[int, tuple[int, ...]] = {op.OpGroupNonUniformElect: (_C.GroupNonUniform,)}
    groups: tuple[tuple[int, tuple[int, ...]], ...] = (
        (
            _C.DerivativeControl,
            (
                op.OpDPdxCoarse, op.OpDPdyCoarse, op.OpFwidthCoarse, op.OpDPdxFine, op.OpDPdyFine, op.OpFwidthFine,
            ),
        ),
        (
            _C.GroupNonUniformVote,
            (op.OpGroupNonUniformAny, op.OpGroupNonUniformAll, op.OpGroupNonUniformAllEqual),
        ),
        (
            _C.GroupNonUniformBallot,
            (
                op.OpGroupNonUniformBallot, op.OpGroupNonUniformInverseBallot, op.OpGroupNonUniformBallotBitExtract,
                op.OpGroupNonUniformBallotBitCount, op.OpGroupNonUniformBallotFindLSB,
                op.OpGroupNonUniformBallotFindMSB, op.OpGroupNonUniformBroadcast, op.OpGroupNonUniformBroadcastFirst,
            ),
        ),
        (_C.GroupNonUniformShuffle, (op.OpGroupNonUniformShuffle, op.OpGroupNonUniformShuffleXor)),
        (
            _C.GroupNonUniformArithmetic,
            tuple(range(op.OpGroupNonUniformIAdd, op.OpGroupNonUniformLogicalXor + 1)),
        ),
        (_C.GroupNonUniformQuad, (op.OpGroupNonUniformQuadBroadcast, op.OpGroupNonUniformQuadSwap)),
        (
            _C.ImageQuery,
            (
                op.OpImageQuerySizeLod, op.OpImageQuerySize, op.OpImageQueryLod, op.OpImageQueryLevels,
                op.OpImageQuerySamples, op.OpImageQueryFormat, op.OpImageQueryOrder,
            ),
        ),
    )  # fmt: skip
    for capability, opcodes in groups:
        table.update((opcode, (capability,)) for opcode in opcodes)
    table[op.OpImageSparseTexelsResident] = (_C.ImageGatherExtended, _C.SparseResidency)
    return table


OPCODE_CAPABILITIES: dict[int, tuple[int, ...]] = _opcodes()
"""Opcodes whose needs do not depend on operands."""
