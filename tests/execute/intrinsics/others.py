"""List intrinsics that a table row cannot execute, and the tests that execute them instead."""

from __future__ import annotations

from tests.execute.intrinsics.rows import Elsewhere

_RAYS = (
    "DispatchRaysIndex DispatchRaysDimensions WorldRayOrigin WorldRayDirection ObjectRayOrigin ObjectRayDirection "
    "RayTMin RayTCurrent PrimitiveIndex InstanceID InstanceIndex GeometryIndex HitKind RayFlags ObjectToWorld "
    "WorldToObject ObjectToWorld3x4 WorldToObject3x4 ObjectToWorld4x3 WorldToObject4x3 ReportHit CallShader "
    "AcceptHitAndEndSearch"
)
_FACTORS = (
    "Process2DQuadTessFactorsAvg Process2DQuadTessFactorsMax Process2DQuadTessFactorsMin "
    "ProcessQuadTessFactorsAvg ProcessQuadTessFactorsMax ProcessQuadTessFactorsMin "
    "ProcessTriTessFactorsAvg ProcessTriTessFactorsMax ProcessTriTessFactorsMin ProcessIsolineTessFactors"
)
_LINALG = "headers/dx/linalg.h"

ELSEWHERE = (
    Elsewhere(tuple(_RAYS.split()), "execute/test_ray_values.py", "test_functions", "stages of ray tracing"),
    Elsewhere(("TraceRay", "IgnoreHit"), "execute/test_rays.py", "test_pipeline", "stages of ray tracing"),
    Elsewhere(
        ("TriangleObjectPositions",),
        "execute/test_ray_extensions.py",
        "test_corners_in_a_hit_shader",
        "stages of ray tracing",
    ),
    Elsewhere(("dx::MaybeReorderThread",), "execute/test_ray_extensions.py", "test_hit_objects", "needs a hit object"),
    Elsewhere(
        ("ClusterID",),
        "cases/stages/raytracing.extensions.hlsl",
        "",
        "no open driver has cluster acceleration structures",
    ),
    Elsewhere(
        tuple(_FACTORS.split()),
        "execute/test_tessellation_factors.py",
        "test_factors",
        "the partitioning of a hull shader",
    ),
    Elsewhere(("SetMeshOutputCounts", "DispatchMesh"), "execute/test_stages.py", "test_mesh", "mesh shaders"),
    Elsewhere(("WaveGetLaneCount",), "execute/test_groups.py", "test_wave_operations", "the device's own number"),
    Elsewhere(("Barrier",), "execute/test_newer_features.py", "test_barriers_by_flags", "flags are constants"),
    Elsewhere(
        ("EvaluateAttributeAtSample", "EvaluateAttributeCentroid", "EvaluateAttributeSnapped"),
        "execute/intrinsics/test_places.py",
        "test_interpolation",
        "needs an input of a pixel shader",
    ),
    Elsewhere(
        ("GetAttributeAtVertex",),
        "unit/lower/test_more_intrinsics.py",
        "test_attributes_of_vertices",
        "needs fragmentShaderBarycentric, which lavapipe lacks",
    ),
    Elsewhere(
        ("CheckAccessFullyMapped",), "execute/intrinsics/test_places.py", "test_residency", "needs a texture's status"
    ),
    Elsewhere(
        ("vk::RawBufferLoad", "vk::RawBufferStore"),
        "execute/intrinsics/test_places.py",
        "test_addresses",
        "needs an address",
    ),
    Elsewhere(
        ("vk::ext_execution_mode",),
        "unit/lower/test_more_intrinsics.py",
        "test_execution_modes_by_number",
        "a mode of an entry point, without a result",
    ),
    Elsewhere(
        ("vk::ext_execution_mode_id",),
        "unit/lower/test_more_intrinsics.py",
        "test_execution_modes_with_ids",
        "a mode of an entry point, without a result",
    ),
    Elsewhere(("GetRemainingRecursionLevels",), "cases/stages/stage.node.hlsl", "", "no open driver has work graphs"),
    Elsewhere(
        ("__builtin_spv_CooperativeMatrixLengthKHR",),
        "execute/test_cooperative_matrices.py",
        "test_products",
        "behind a header",
        "headers/vk/khr/cooperative_matrix.h",
    ),
    Elsewhere(
        ("__builtin_spv_CooperativeVectorMatrixMulNV", "__builtin_spv_CooperativeVectorMatrixMulAddNV"),
        "execute/test_cooperative_vectors.py",
        "test_products",
        "behind a header",
        _LINALG,
    ),
    Elsewhere(
        ("__builtin_spv_CooperativeVectorOuterProductAccumulateNV",),
        "execute/test_cooperative_vectors.py",
        "test_outer_products",
        "behind a header",
        _LINALG,
    ),
    Elsewhere(
        ("__builtin_spv_CooperativeVectorReduceSumAccumulateNV",),
        "execute/test_cooperative_vectors.py",
        "test_sums",
        "behind a header",
        _LINALG,
    ),
)
