"""Names of the calls and constants that only some stages or shader models support.

`Context.watch` records their uses.
"""

from __future__ import annotations

Model = tuple[int, int]

FUNCTIONS: dict[str, Model | None] = {
    "Barrier": None,
    "dx::MaybeReorderThread": (6, 9),
    "ClusterID": (6, 10),
    "TriangleObjectPositions": (6, 10),
    "DebugBreak": (6, 10),
    "IsDebuggingEnabled": (6, 10),
}
"""Intrinsic function → the shader model that introduced it; ``None``: its own check knows."""

LINEAR_ALGEBRA = "__builtin_LinAlg_"
"""Prefix of the intrinsic functions for linear algebra."""
MATRIX = "dx::linalg::Matrix"
"""The matrices of ``dx/linalg.h``, whose methods call these functions."""
LINEAR_ALGEBRA_MODEL: Model = (6, 10)
ANY_STAGE = ("OuterProduct", "QueryAccumulatorLayout", "VectorMultiply", "VectorMultiplyAdd", "Convert", "Descriptor")
"""Suffixes of the linear algebra functions that every stage may call."""

METHODS = frozenset((
    "CalculateLevelOfDetail", "CalculateLevelOfDetailUnclamped", "TraceRayInline", "FromRayQuery", "Invoke",
    "MakeMiss", "MakeNop", "TraceRay",
))  # fmt: skip
"""Methods of objects with a check."""

HIT_OBJECT: Model = (6, 9)
"""Shader model of ``dx::HitObject`` and its methods."""

QUERY_FLAGS: Model = (6, 9)
"""Shader model of the second template argument of ``RayQuery``."""
FORCE_OMM_2_STATE = 0x400
"""The ray flag that needs `ALLOW_MICROMAPS` among the flags of the query."""
ALLOW_MICROMAPS = 1

CONSTANTS: dict[str, Model] = {
    "RAY_FLAG_FORCE_OMM_2_STATE": (6, 9),
    "RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS": (6, 9),
    "RAYTRACING_PIPELINE_FLAG_ALLOW_OPACITY_MICROMAPS": (6, 9),
    "REORDER_SCOPE": (6, 9),
    "RAYQUERY_FLAG_ALLOW_CLUSTERED_GEOMETRY": (6, 10),
    "RAYTRACING_PIPELINE_FLAG_ALLOW_CLUSTERED_GEOMETRY": (6, 10),
    "CLUSTER_ID_INVALID": (6, 10),
}
"""Constant → the shader model that introduced it."""
