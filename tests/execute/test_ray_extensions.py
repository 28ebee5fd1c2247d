"""Ray tracing extensions: corners of triangles, and hit objects, by which threads are reordered."""

from __future__ import annotations

import pytest

from tests.execute.tables import Runner, as_floats
from tests.execute.test_ray_values import DIRECTION, FLAGS, MATRICES, ORIGIN, RAY, SCENE, T_HIT, T_MIN, TO_BOX, own
from tests.execute.vulkan import Place, Tables, storage

CORNERS = (1.0, -1.0, 3.0, -1.0, 1.0, 3.0, 1.0, 1.0, 3.0)
"""Corners of the triangle that the ray meets, in the space of the object."""
HEAD = f"""
RaytracingAccelerationStructure scene : register(t0);
RWStructuredBuffer<float> seen : register(u1);
struct [raypayload] Payload {{
    float x : write(caller, closesthit, miss) : read(caller, closesthit);
}};
struct Touch {{ float2 where; }};
typedef BuiltInTriangleIntersectionAttributes Triangle;
void tell(uint at, BuiltInTrianglePositions p) {{
    float3 corners[3] = {{ p.p0, p.p1, p.p2 }};
    for (uint i = 0; i < 3; i++) for (uint j = 0; j < 3; j++) seen[at + 3 * i + j] = corners[i][j];
}}
RayDesc ray(float3 origin) {{ RayDesc r; {RAY} r.Origin = origin; return r; }}
"""
SHADERS = """
[shader("miss")] void sky(inout Payload p) { p.x = -1; }
[shader("closesthit")] void near(inout Payload p, Triangle a) { p.x += 100 + InstanceID() + PrimitiveIndex() * 10; }
[shader("intersection")] void box() { Touch t; t.where = float2(0.25, 0.75); ReportHit(7.5, 6, t); }
[shader("closesthit")] void box_near(inout Payload p, Touch a) { p.x += 200 + a.where.y; }
"""
TABLES = Tables(
    raygen=("start",),
    miss=("sky",),
    hit=({"closest": "near"}, {"closest": "near"}, {"closest": "box_near", "intersection": "box"}),
)
ALLOWED = {
    "EXT": (),
    "NV": ("SPV_KHR_ray_tracing", "SPV_KHR_ray_query", "SPV_NV_shader_invocation_reorder"),
}
FEATURES = {"EXT": "rayTracingInvocationReorderEXT", "NV": "rayTracingInvocationReorder"}

pytestmark = pytest.mark.parametrize("run", ["performance", "none"], indirect=True)


def trace(run: Runner, source: str, room: int, extensions: tuple[str, ...] = ()) -> tuple[float, ...]:
    """Run one invocation of a ray generation shader; return the ``room`` floats of its output buffer."""
    spirv = run.compile(source, entry="", profile="lib_6_10", target_env="vulkan1.3", extensions=extensions)
    place: Place = (0, 1)
    out = run.vulkan.run_tracing(spirv, TABLES, {(0, 0): SCENE, place: storage(4 * room)}, (1, 1, 1))
    return as_floats(out[place])


def test_corners_of_a_query(run: Runner) -> None:
    run.needs("rayQuery", "rayTracingPositionFetch")
    source = f"""{HEAD}
[numthreads(1, 1, 1)] void main() {{
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(scene, {FLAGS}, 0xff, ray(float3{ORIGIN}));
    q.Proceed();
    tell(0, q.CandidateTriangleObjectPositions());
    q.CommitNonOpaqueTriangleHit();
    q.Proceed();
    tell(9, q.CommittedTriangleObjectPositions());
}}"""
    resources = {(0, 0): SCENE, (0, 1): storage(72)}
    out = run(source, resources, profile="cs_6_10", target_env="vulkan1.3")
    assert as_floats(out[0, 1]) == CORNERS * 2


def test_corners_in_a_hit_shader(run: Runner) -> None:
    run.needs("rayTracingPipeline", "rayTracingPositionFetch")
    source = f"""{HEAD}
[shader("raygeneration")] void start() {{
    Payload p; p.x = 0;
    TraceRay(scene, {FLAGS}, 0xff, 0, 0, 0, ray(float3{ORIGIN}), p);
}}
[shader("miss")] void sky(inout Payload p) {{ }}
[shader("closesthit")] void near(inout Payload p, Triangle a) {{ tell(0, TriangleObjectPositions()); }}
[shader("intersection")] void box() {{ }}
[shader("closesthit")] void box_near(inout Payload p, Touch a) {{ }}"""
    assert trace(run, source, 9) == CORNERS


@pytest.mark.parametrize("variant", list(ALLOWED))
def test_hit_objects(run: Runner, variant: str) -> None:
    """`HitObject::TraceRay`, `MaybeReorderThread` and `HitObject::Invoke` together have the effect of ``TraceRay``."""
    run.needs("rayTracingPipeline", FEATURES[variant])
    source = f"""{HEAD}{SHADERS}
dx::HitObject traced(float3 origin, inout Payload p) {{
    return dx::HitObject::TraceRay(scene, {FLAGS}, 0xff, 0, 0, 0, ray(origin), p);
}}
void called(in dx::HitObject h, inout Payload p) {{ if (!h.IsNop()) dx::HitObject::Invoke(h, p); }}
[shader("raygeneration")] void start() {{
    float3 origins[3] = {{ float3{ORIGIN}, float3{TO_BOX}, float3(50, 50, 0) }};
    for (uint i = 0; i < 3; i++) {{
        Payload p, q;
        p.x = q.x = i;
        TraceRay(scene, {FLAGS}, 0xff, 0, 0, 0, ray(origins[i]), p);
        dx::HitObject h = traced(origins[i], q);
        dx::MaybeReorderThread(h, i, 2);
        called(h, q);
        seen[4 * i] = p.x;
        seen[4 * i + 1] = q.x;
        seen[4 * i + 2] = h.IsHit();
        seen[4 * i + 3] = h.IsMiss();
    }}
    Payload p;
    p.x = 0;
    dx::HitObject h;
    seen[12] = h.IsNop();
    called(h, p);
    seen[13] = p.x;
    h = dx::HitObject::MakeMiss(0, 0, ray(float3(0, 0, 0)));
    dx::MaybeReorderThread(1, 1);
    called(h, p);
    seen[14] = p.x;
}}"""
    seen = trace(run, source, 15, ALLOWED[variant])
    assert seen[:12:4] == (119.0, 201.75, -1.0)  # the second payload begins with 1
    assert seen[1:12:4] == seen[:12:4]
    assert seen[2:12:4] == (1.0, 1.0, 0.0)
    assert seen[3:12:4] == (0.0, 0.0, 1.0)
    assert seen[12:] == (1.0, 0.0, -1.0)


@pytest.mark.parametrize("variant", list(ALLOWED))
def test_values_of_hit_objects(run: Runner, variant: str) -> None:
    run.needs("rayTracingPipeline", FEATURES[variant])
    values = {
        "h.GetRayTMin()": [T_MIN],
        "h.GetRayTCurrent()": [T_HIT],
        "h.GetWorldRayOrigin()": ORIGIN,
        "h.GetWorldRayDirection()": DIRECTION,
        "h.GetObjectRayOrigin()": own(ORIGIN, 1),
        "h.GetObjectRayDirection()": own(DIRECTION, 0),
        **{f"h.Get{name}()": numbers for name, numbers in MATRICES.items()},
        "h.GetGeometryIndex()": [0],
        "h.GetInstanceIndex()": [1],
        "h.GetInstanceID()": [9],
        "h.GetPrimitiveIndex()": [1],
        "h.GetHitKind()": [254],
        "h.GetShaderTableIndex()": [1],
        "h.GetAttributes<Triangle>().barycentrics": [0.125, 0.5],
        **({"h.GetRayFlags()": [FLAGS]} if variant == "EXT" else {}),
    }
    from tests.execute.test_ray_values import compare, stores

    source = f"""{HEAD}{SHADERS}
[shader("raygeneration")] void start() {{
    Payload p;
    p.x = 0;
    dx::HitObject h = dx::HitObject::TraceRay(scene, {FLAGS}, 0xff, 0, 0, 0, ray(float3{ORIGIN}), p);
    {stores(values, 0)}
}}"""
    wrong = list(compare(values, trace(run, source, 128, ALLOWED[variant]), 0))
    assert not wrong, "\n".join(wrong)


def test_hit_objects_of_queries(run: Runner) -> None:
    """A hit object from a ray query invokes the shader that ``SetShaderTableIndex`` selects.

    A query without a hit gives an empty hit object.
    """
    run.needs("rayTracingPipeline", "rayQuery", FEATURES["EXT"])
    source = f"""{HEAD}{SHADERS}
[shader("raygeneration")] void start() {{
    Payload p;
    p.x = 0;
    RayQuery<RAY_FLAG_FORCE_OPAQUE> q;
    q.TraceRayInline(scene, {FLAGS}, 0xff, ray(float3{ORIGIN}));
    while (q.Proceed()) {{ }}
    dx::HitObject h = dx::HitObject::FromRayQuery(q);
    h.SetShaderTableIndex(1);
    seen[0] = h.IsHit();
    seen[1] = h.GetShaderTableIndex();
    seen[2] = h.GetInstanceID();
    dx::HitObject::Invoke(h, p);
    seen[3] = p.x;
    q.TraceRayInline(scene, {FLAGS}, 0xff, ray(float3(50, 50, 0)));
    while (q.Proceed()) {{ }}
    dx::HitObject none = dx::HitObject::FromRayQuery(q);
    seen[4] = none.IsNop();
    q.TraceRayInline(scene, {FLAGS}, 0xff, ray(float3{TO_BOX}));
    while (q.Proceed()) {{ q.CommitProceduralPrimitiveHit(3.25); }}
    Touch touch;
    touch.where = float2(0.5, 0.125);
    dx::HitObject box = dx::HitObject::FromRayQuery(q, 7, touch);
    box.SetShaderTableIndex(2);
    seen[5] = box.GetHitKind();
    seen[6] = box.GetAttributes<Touch>().where.y;
    p.x = 0;
    dx::HitObject::Invoke(box, p);
    seen[7] = p.x;
}}"""
    assert trace(run, source, 8) == (1.0, 1.0, 9.0, 119.0, 1.0, 7.0, 0.125, 200.125)
