"""Rays: queries in compute shaders, and pipelines of ray tracing shaders."""

from __future__ import annotations

import pytest

from tests.execute.tables import Runner, as_floats, as_ints
from tests.execute.vulkan import Instance, Tables, scene, storage


def square(x: float, y: float, z: float, half: float = 1.0) -> tuple[float, ...]:
    """Return two triangles that form a square across the z axis, facing a viewer who looks along it."""
    a, b, c, d = ((x + i * half, y + j * half, z) for i, j in ((-1, -1), (1, -1), (-1, 1), (1, 1)))
    return (*a, *c, *b, *b, *c, *d)


MOVED = (1.0, 0.0, 0.0, 4.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0)
"""By 4 along x and 2 along z."""

SCENE = scene(
    Instance(triangles=square(0, 0, 5), number=7),
    Instance(triangles=square(0, 0, 3), number=9, transform=MOVED, mask=2, hit_group=1),
    Instance(triangles=square(8, 0, 4), number=11, opaque=False, hit_group=2),
    Instance(boxes=(11.0, -1.0, 6.0, 13.0, 1.0, 8.0), number=13, hit_group=3),
)
"""Squares at x = 0, 4 and 8, and a box at 12."""


def test_shadow(run: Runner) -> None:
    """A query from each point of a floor finds whether the light is hidden."""
    run.needs("rayQuery")
    source = """
RaytracingAccelerationStructure scene : register(t0);
RWStructuredBuffer<int> lit : register(u1);
[numthreads(8, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    RayQuery<RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH | RAY_FLAG_FORCE_OPAQUE> q;
    RayDesc r;
    r.Origin = float3(id.x * 2, 0.25, 0); r.Direction = float3(0, 0, 1); r.TMin = 0; r.TMax = 4.5;
    q.TraceRayInline(scene, RAY_FLAG_NONE, 0xff, r);
    q.Proceed();
    lit[id.x] = q.CommittedStatus() == COMMITTED_NOTHING;
    r.TMax = 100;
    q.TraceRayInline(scene, RAY_FLAG_NONE, 0xfd, r);
    q.Proceed();
    lit[8 + id.x] = q.CommittedStatus() == COMMITTED_NOTHING;
}"""
    out = run(source, {(0, 0): SCENE, (0, 1): storage(64)}, profile="cs_6_5", target_env="vulkan1.2")
    near = [1, 1, 1, 1, 0, 1, 1, 1]  # of what is nearer than 4.5, the third square alone
    far = [0, 1, 1, 1, 0, 1, 1, 1]  # the second has a mask of 2; the box is only a candidate
    assert list(as_ints(out[0, 1])) == near + far


def test_queries_as_arguments(run: Runner) -> None:
    """A query is passed by reference, even without `inout`, because it is a handle."""
    run.needs("rayQuery")
    source = """
RaytracingAccelerationStructure scene : register(t0);
RWStructuredBuffer<float> seen : register(u1);
float distance(RayQuery<RAY_FLAG_FORCE_OPAQUE> q) {
    q.Proceed();
    return q.CommittedStatus() == COMMITTED_NOTHING ? -1 : q.CommittedRayT();
}
float proceed(inout RayQuery<RAY_FLAG_FORCE_OPAQUE> q) { return distance(q); }
[numthreads(4, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    RayQuery<RAY_FLAG_FORCE_OPAQUE> q;
    RayDesc r;
    r.Origin = float3(id.x * 4, 0.25, 0); r.Direction = float3(0, 0, 1); r.TMin = 0; r.TMax = 100;
    q.TraceRayInline(scene, RAY_FLAG_NONE, 0xff, r);
    seen[id.x] = distance(q);
    q.TraceRayInline(scene, RAY_FLAG_NONE, 0xff, r);
    seen[4 + id.x] = proceed(q);
}"""
    out = run(source, {(0, 0): SCENE, (0, 1): storage(32)}, profile="cs_6_5", target_env="vulkan1.2")
    assert as_floats(out[0, 1]) == (5, 5, 4, -1) * 2


def test_query_candidates(run: Runner) -> None:
    """The shader rejects half of the third square, and commits a hit of the box at a chosen distance."""
    run.needs("rayQuery")
    source = """
RaytracingAccelerationStructure scene : register(t0);
RWStructuredBuffer<float4> seen : register(u1);
[numthreads(8, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    RayQuery<RAY_FLAG_NONE> q;
    RayDesc r;
    r.Origin = float3(id.x * 2 + 0.25, 0.5, -1); r.Direction = float3(0, 0, 1); r.TMin = 0; r.TMax = 100;
    q.TraceRayInline(scene, RAY_FLAG_NONE, 0xff, r);
    float noted = 0;
    while (q.Proceed()) {
        if (q.CandidateType() == CANDIDATE_PROCEDURAL_PRIMITIVE) {
            noted += 100 + q.CandidateObjectRayOrigin().x;
            q.CommitProceduralPrimitiveHit(8.5);
        } else {
            noted += 10 + q.CandidateTriangleRayT();
            if (q.CandidatePrimitiveIndex() == 0) q.CommitNonOpaqueTriangleHit();
        }
    }
    float4 s = float4(q.CommittedStatus(), -1, -1, noted);
    if (q.CommittedStatus() != COMMITTED_NOTHING)
        s.yz = float2(q.CommittedInstanceID(), q.CommittedRayT());
    if (q.CommittedStatus() == COMMITTED_TRIANGLE_HIT && q.CommittedInstanceIndex() == 1)
        s.w = q.CommittedObjectRayOrigin().x + 10 * q.CommittedObjectToWorld3x4()[0][3]
            + 100 * q.CommittedWorldToObject4x3()[3][2];
    seen[id.x] = s;
}"""
    resources = {(0, 0): SCENE, (0, 1): storage(128)}
    out = as_floats(run(source, resources, profile="cs_6_5", target_env="vulkan1.2")[0, 1])
    nothing = (0, -1, -1, 0)
    wanted = [
        (1, 7, 6, 0),
        nothing,
        (1, 9, 6, 0.25 + 40 - 200),
        nothing,
        (0, -1, -1, 15),
        nothing,
        (2, 13, 8.5, 112.25),
        nothing,
    ]
    assert [out[4 * i : 4 * i + 4] for i in range(8)] == wanted


LIBRARY = """
RaytracingAccelerationStructure scene : register(t0);
RWStructuredBuffer<float4> seen : register(u1);
struct Payload { float4 color; };
struct Touch { float2 where; };
struct Call { float value; };

[shader("raygeneration")] void start() {
    uint3 id = DispatchRaysIndex();
    RayDesc r;
    r.Origin = float3(id.x * 2 + 0.25, id.y - 0.5, -1); r.Direction = float3(0, 0, 1); r.TMin = 0; r.TMax = 100;
    Payload p;
    p.color = float4(0, 0, 0, 1);
    TraceRay(scene, RAY_FLAG_NONE, 0xff, 0, 0, 0, r, p);
    Call c;
    c.value = p.color.x;
    CallShader(1, c);
    p.color.w += c.value;
    seen[id.y * DispatchRaysDimensions().x + id.x] = p.color;
}
[shader("miss")] void sky(inout Payload p) { p.color.x = -1; p.color.y = WorldRayOrigin().x; }
[shader("closesthit")] void near(inout Payload p, BuiltInTriangleIntersectionAttributes a) {
    p.color.xyz = float3(InstanceID(), RayTCurrent(), a.barycentrics.x + a.barycentrics.y * 10);
}
[shader("closesthit")] void moved(inout Payload p, BuiltInTriangleIntersectionAttributes a) {
    p.color.xyz = float3(InstanceID(), ObjectRayOrigin().x, ObjectToWorld3x4()[0][3] + 10 * WorldToObject4x3()[3][2]);
}
[shader("anyhit")] void half_of_it(inout Payload p, BuiltInTriangleIntersectionAttributes a) {
    p.color.w += 5;
    if (PrimitiveIndex() != 0) IgnoreHit();
    p.color.w += 50;
}
[shader("intersection")] void ball() { Touch t; t.where = float2(0.125, 0.5); ReportHit(8.5, 3, t); }
[shader("closesthit")] void touched(inout Payload p, Touch t) {
    p.color.xyz = float3(HitKind(), RayTCurrent(), t.where.x + t.where.y);
}
[shader("callable")] void unused(inout Call c) { c.value = 12345; }
[shader("callable")] void more(inout Call c) { c.value = c.value * 1000; }
"""
TABLES = Tables(
    raygen=("start",),
    miss=("sky",),
    hit=(
        {"closest": "near"},
        {"closest": "moved"},
        {"closest": "near", "any": "half_of_it"},
        {"closest": "touched", "intersection": "ball"},
    ),
    callable=("unused", "more"),
)


def test_pipeline(run: Runner) -> None:
    """All ray tracing stages of a library run in one pipeline, and each contributes to the stored numbers.

    The last of the four numbers of each ray counts the calls of shaders.
    """
    run.needs("rayTracingPipeline")
    out = as_floats(run.trace(LIBRARY, TABLES, {(0, 0): SCENE, (0, 1): storage(256)}, (8, 2, 1))[0, 1])
    seen = [out[4 * i : 4 * i + 4] for i in range(16)]

    def miss(i: int, noted: float = 0) -> tuple[float, ...]:
        return (-1, 2 * i + 0.25, 0, 1 + noted - 1000)

    for row in range(2):
        pixels = seen[8 * row : 8 * row + 8]
        assert pixels[1::2] == [miss(i) for i in (1, 3, 5, 7)]
        assert pixels[2] == (9, 0.25, 4 - 20, 1 + 9000)
        assert pixels[6] == (3, 8.5, 0.625, 1 + 3000)
    assert seen[0][:2] == (7, 6)
    assert seen[0][3] == 7001
    assert seen[8][:2] == (7, 6)
    # below the diagonal the first triangle: corners (-1, -1), (-1, 1), (1, -1)
    assert seen[0][2] == pytest.approx((0.5 / 2) + 10 * (1.25 / 2))
    assert seen[4] == (11, 5, pytest.approx((0.5 / 2) + 10 * (1.25 / 2)), 1 + 55 + 11000)
    assert seen[12] == miss(4, 5)


def test_pipeline_without_triangles(run: Runner) -> None:
    """A ray flag skips all triangles: only the procedural ball is hit, and no any-hit shader runs."""
    run.needs("rayTracingPipeline", "rayTraversalPrimitiveCulling")
    library = LIBRARY.replace("RAY_FLAG_NONE", "RAY_FLAG_SKIP_TRIANGLES")
    out = as_floats(run.trace(library, TABLES, {(0, 0): SCENE, (0, 1): storage(256)}, (8, 2, 1))[0, 1])
    seen = [out[4 * i : 4 * i + 4] for i in range(16)]
    row = [(-1, 2 * i + 0.25, 0, 1 - 1000) for i in range(8)]
    row[6] = (3, 8.5, 0.625, 1 + 3000)
    assert seen == row * 2
