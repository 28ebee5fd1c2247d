"""Data: effects of intrinsic functions and methods on divergence, and the calls that lints check."""

from __future__ import annotations

from hlsl_tool.frontend.lints.divergence_sets import ALL, GROUP, QUAD, WAVE

DERIVATIVES = frozenset((
    "ddx", "ddy", "fwidth", "ddx_coarse", "ddy_coarse", "ddx_fine", "ddy_fine",
))  # fmt: skip
IMPLICIT_LOD = frozenset((
    "Sample", "SampleBias", "SampleCmp", "SampleCmpBias", "CalculateLevelOfDetail", "CalculateLevelOfDetailUnclamped",
))  # fmt: skip
"""Methods that choose a mip level by derivatives."""
BARRIERS = frozenset((
    "GroupMemoryBarrierWithGroupSync", "DeviceMemoryBarrierWithGroupSync", "AllMemoryBarrierWithGroupSync",
))  # fmt: skip
"""Barriers that all invocations of a thread group have to reach; ``Barrier`` depends on its flags."""

ELEMENTWISE = frozenset((
    "abs", "acos", "asin", "atan", "atan2", "asfloat", "asint", "asuint", "ceil", "clamp", "cos", "cosh", "countbits",
    "degrees", "exp", "exp2", "f16tof32", "f32tof16", "firstbithigh", "firstbitlow", "floor", "fma", "fmod", "frac",
    "isfinite", "isinf", "isnan", "ldexp", "lerp", "log", "log10", "log2", "mad", "max", "min", "pow", "radians",
    "rcp", "reversebits", "round", "rsqrt", "saturate", "select", "sign", "sin", "sinh", "smoothstep", "sqrt", "step",
    "tan", "tanh", "trunc", "and", "or",
))  # fmt: skip
"""Functions whose result depends, component by component, on the same component of the arguments."""

KEPT = {
    **dict.fromkeys(DERIVATIVES, WAVE | GROUP),
    **dict.fromkeys(("QuadReadLaneAt", "QuadAny", "QuadAll"), WAVE | GROUP),
    **dict.fromkeys(("GetRenderTargetSampleCount", "GetRenderTargetSamplePosition"), 0),
    **dict.fromkeys(("WaveReadLaneFirst", "WaveReadLaneAt"), 0),
    **dict.fromkeys((
        "WaveActiveAllEqual", "WaveActiveAllTrue", "WaveActiveAnyTrue", "WaveActiveBallot", "WaveActiveBitAnd",
        "WaveActiveBitOr", "WaveActiveBitXor", "WaveActiveCountBits", "WaveActiveMax", "WaveActiveMin",
        "WaveActiveProduct", "WaveActiveSum", "WaveMatch",
    ), 0),
}  # fmt: skip
"""Function → the groups in which its result may still differ as its arguments do."""
KEPT_BY_METHODS = {
    "CalculateLevelOfDetail": WAVE | GROUP,
    "CalculateLevelOfDetailUnclamped": WAVE | GROUP,
    "GetDimensions": 0,
}
"""As `KEPT`, for methods."""

SOURCES = {
    "WaveGetLaneIndex": ALL,
    "WaveIsFirstLane": ALL,
    "WavePrefixCountBits": ALL,
    "WavePrefixProduct": ALL,
    "WavePrefixSum": ALL,
    "IsHelperLane": QUAD | WAVE,
    "DispatchRaysIndex": WAVE,
    "InstanceID": WAVE,
    "InstanceIndex": WAVE,
    "PrimitiveIndex": WAVE,
    "GeometryIndex": WAVE,
    "HitKind": WAVE,
    "RayTCurrent": WAVE,
    "WorldRayOrigin": WAVE,
    "WorldRayDirection": WAVE,
    "ObjectRayOrigin": WAVE,
    "ObjectRayDirection": WAVE,
}
"""Function → the groups in which its result differs whatever its arguments are."""

ATOMIC = "Interlocked"
"""How the names of atomic functions and methods begin."""

SITES = DERIVATIVES | IMPLICIT_LOD | BARRIERS | {"Barrier"}
"""Names of calls that must not be in divergent control flow."""
HEAPS = frozenset(("ResourceDescriptorHeap", "SamplerDescriptorHeap"))
BRANCHES = frozenset(("if", "for", "while", "do", "switch", "?", "&&", "||"))
"""Tokens without which control flow does not diverge."""
