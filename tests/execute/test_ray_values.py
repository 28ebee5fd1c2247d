"""Values of rays and hits: every function of ray tracing shaders and every method of ray queries.

The instances are rotated, scaled and translated, so that a transposed or inverted matrix gives other results.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from tests.execute.tables import Runner, as_floats
from tests.execute.test_rays import square
from tests.execute.vulkan import Instance, Resource, Tables, scene, storage

TURNED = (0.0, -2.0, 0.0, 4.0, 2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 2.0)
"""(x, y, z) → (4 - 2y, 2x + 1, z + 2)."""
BACK = (0.0, 0.5, 0.0, -0.5, -0.5, 0.0, 0.0, 2.0, 0.0, 0.0, 1.0, -2.0)
"""The inverse of the transformation, three rows of four."""

SCENE = scene(
    Instance(triangles=square(100, 100, 3), number=5),
    Instance(triangles=square(0, 0, 3), number=9, transform=TURNED, hit_group=1, opaque=False),
    Instance(boxes=(49.0, 49.0, 3.0, 51.0, 51.0, 4.0), number=13, transform=TURNED, hit_group=2, opaque=False),
)
"""The square has corners at (2, -1, 5) and (6, 3, 5); the box is around (-96, 101)."""

ORIGIN, DIRECTION, T_MIN, T_HIT = (2.75, 1.0, -1.0), (0.25, 0.5, 2.0), 0.5, 3.0
"""Meets the square's second triangle at (3.5, 2.5, 5), which is (0.75, 0.25, 3) of its own."""
TO_BOX = (-96.75, 100.0, -1.0)
"""From here the ray enters the box at T_HIT."""

FLAGS = 0x10  # RAY_FLAG_CULL_BACK_FACING_TRIANGLES
RAY = "r.Direction = float3(0.25, 0.5, 2); r.TMin = 0.5; r.TMax = 50;"

Values = dict[str, Sequence[float]]
"""expression → its expected value"""


def transposed(rows: Sequence[float]) -> list[float]:
    return [rows[4 * r + c] for c in range(4) for r in range(3)]


def own(v: Sequence[float], w: float) -> list[float]:
    """Transform a point (w = 1) or direction (w = 0) from world space to an instance's object space."""
    return [sum(BACK[4 * r + i] * v[i] for i in range(3)) + BACK[4 * r + 3] * w for r in range(3)]


MATRICES: Values = {
    "ObjectToWorld3x4": TURNED,
    "WorldToObject3x4": BACK,
    "ObjectToWorld4x3": transposed(TURNED),
    "WorldToObject4x3": transposed(BACK),
}


def of_ray(origin: Sequence[float]) -> Values:
    return {"WorldRayOrigin()": origin, "WorldRayDirection()": DIRECTION, "RayTMin()": [T_MIN], "RayFlags()": [FLAGS]}


def of_instance(number: int, index: int, primitive: int, origin: Sequence[float]) -> Values:
    return {
        **{f"{name}()": numbers for name, numbers in MATRICES.items()},
        "ObjectToWorld()": TURNED,
        "WorldToObject()": BACK,
        "ObjectRayOrigin()": own(origin, 1),
        "ObjectRayDirection()": own(DIRECTION, 0),
        "InstanceID()": [number],
        "InstanceIndex()": [index],
        "GeometryIndex()": [0],
        "PrimitiveIndex()": [primitive],
    }


START = "DispatchRaysIndex()", "DispatchRaysDimensions()"
HERE: Values = {START[0]: (0, 0, 0), START[1]: (1, 1, 1)}
IN: dict[str, Values] = {
    "raygen": HERE,
    "callable": HERE,
    "miss": {**HERE, **of_ray(ORIGIN), "RayTCurrent()": [1.0], "beyond()": [2.0]},
    "closest": {**HERE, **of_ray(ORIGIN), **of_instance(9, 1, 1, ORIGIN), "RayTCurrent()": [T_HIT], "HitKind()": [254],
                "beyond()": [T_HIT + 1], "a.barycentrics": [0.125, 0.5]},
    "any": {**HERE, **of_ray(ORIGIN), **of_instance(9, 1, 1, ORIGIN), "RayTCurrent()": [T_HIT], "HitKind()": [254],
            "a.barycentrics": [0.125, 0.5]},
    "intersection": {**HERE, **of_ray(TO_BOX), **of_instance(13, 2, 0, TO_BOX), "RayTCurrent()": [50.0],
                     "beyond()": [51.0]},
    "box_any": {**HERE, "HitKind()": [6], "RayTCurrent()": [7.5], "a.where": [0.25, 0.75]},
    "box_closest": {**HERE, "HitKind()": [6], "RayTCurrent()": [7.5], "a.where": [0.25, 0.75], "InstanceID()": [13]},
}  # fmt: skip
"""Shader → the functions that it can call, with their expected results."""

ROOM = 128
"""Floats for each shader."""


def stores(values: Values, start: int) -> str:
    """Return statements that store each expression's numbers, matrices row by row."""
    lines = []
    for expression, numbers in values.items():
        n, name = len(numbers), expression
        is_matrix = n == 12
        columns = 3 if "4x3" in name else 4
        for i in range(n):
            part = f"[{i // columns}][{i % columns}]" if is_matrix else f"[{i}]" if n > 1 else ""
            lines.append(f"seen[{start + i}] = float({name}{part});")
        start += n
    return " ".join(lines)


def compare(values: Values, seen: Sequence[float], start: int) -> Iterable[str]:
    for expression, numbers in values.items():
        got = list(seen[start : start + len(numbers)])
        if got != pytest.approx([float(x) for x in numbers]):
            yield f"{expression}: {got}, expected {list(numbers)}"
        start += len(numbers)


def pipeline(place: dict[str, int]) -> str:
    code = {name: stores(IN[name], at) for name, at in place.items()}
    trace = f"TraceRay(scene, {FLAGS}, 0xff, 0, 0, 0, r, p);"
    return f"""
RaytracingAccelerationStructure scene : register(t0);
RWStructuredBuffer<float> seen : register(u1);
struct Payload {{ float x; }};
struct Touch {{ float2 where; }};
float beyond() {{ return RayTCurrent() + 1; }}
typedef BuiltInTriangleIntersectionAttributes Triangle;
[shader("raygeneration")] void start() {{
    {code["raygen"]}
    Payload p; p.x = 0;
    RayDesc r; {RAY}
    r.Origin = float3{ORIGIN}; {trace}
    r.Origin = float3{TO_BOX}; {trace}
    r.Origin = float3{ORIGIN}; r.TMax = 1; {trace}
    CallShader(0, p);
}}
[shader("miss")] void sky(inout Payload p) {{ {code["miss"]} }}
[shader("callable")] void called(inout Payload p) {{ {code["callable"]} }}
[shader("closesthit")] void near(inout Payload p, Triangle a) {{ {code["closest"]} }}
[shader("anyhit")] void each(inout Payload p, Triangle a) {{ {code["any"]} }}
[shader("intersection")] void box() {{
    {code["intersection"]} Touch t; t.where = float2(0.25, 0.75); ReportHit(7.5, 6, t);
}}
[shader("anyhit")] void box_each(inout Payload p, Touch a) {{ {code["box_any"]} AcceptHitAndEndSearch(); }}
[shader("closesthit")] void box_near(inout Payload p, Touch a) {{ {code["box_closest"]} }}
"""


def test_functions(run: Runner) -> None:
    """Every function without arguments has the right value in every shader that may call it."""
    run.needs("rayTracingPipeline")
    place = {name: ROOM * i for i, name in enumerate(IN)}
    tables = Tables(
        raygen=("start",),
        miss=("sky",),
        callable=("called",),
        hit=({}, {"closest": "near", "any": "each"}, {"closest": "box_near", "any": "box_each", "intersection": "box"}),
    )
    resources = {(0, 0): SCENE, (0, 1): storage(4 * ROOM * len(IN))}
    seen = as_floats(run.trace(pipeline(place), tables, resources, (1, 1, 1))[0, 1])
    wrong = [f"{name}: {text}" for name, at in place.items() for text in compare(IN[name], seen, at)]
    assert not wrong, "\n".join(wrong)


def of_hit(prefix: str, number: int, index: int, group: int, primitive: int, origin: Sequence[float]) -> Values:
    """Return method call → expected numbers, for the methods that exist for both candidate and committed hits.

    ``prefix`` is ``Candidate`` or ``Committed``; the other arguments are the properties of the hit.
    """
    return {
        **{f"q.{prefix}{name}()": numbers for name, numbers in MATRICES.items()},
        f"q.{prefix}InstanceID()": [number],
        f"q.{prefix}InstanceIndex()": [index],
        f"q.{prefix}InstanceContributionToHitGroupIndex()": [group],
        f"q.{prefix}GeometryIndex()": [0],
        f"q.{prefix}PrimitiveIndex()": [primitive],
        f"q.{prefix}ObjectRayOrigin()": own(origin, 1),
        f"q.{prefix}ObjectRayDirection()": own(DIRECTION, 0),
    }


def of_triangle(prefix: str) -> Values:
    return {
        **of_hit(prefix, 9, 1, 1, 1, ORIGIN),
        f"q.{prefix}TriangleBarycentrics()": [0.125, 0.5],
        f"q.{prefix}TriangleFrontFace()": [1],
    }


def of_query(origin: Sequence[float]) -> Values:
    return {f"q.{name}": numbers for name, numbers in of_ray(origin).items()}


TRIANGLE: dict[str, Values] = {
    "candidate": {
        **of_query(ORIGIN),
        **of_triangle("Candidate"),
        "q.CandidateTriangleRayT()": [T_HIT],
        "q.CandidateType()": [0],
        "q.CommittedStatus()": [0],
    },
    "committed": {
        **of_query(ORIGIN),
        **of_triangle("Committed"),
        "q.CommittedRayT()": [T_HIT],
        "q.CommittedStatus()": [1],
    },
}
BOX: dict[str, Values] = {
    "candidate": {
        **of_query(TO_BOX),
        **of_hit("Candidate", 13, 2, 2, 0, TO_BOX),
        "q.CandidateType()": [1],
        "q.CandidateProceduralPrimitiveNonOpaque()": [1],
    },
    "committed": {
        **of_query(TO_BOX),
        **of_hit("Committed", 13, 2, 2, 0, TO_BOX),
        "q.CommittedRayT()": [3.25],
        "q.CommittedStatus()": [2],
    },
}


@pytest.mark.parametrize(
    ("origin", "hit", "values"),
    [(ORIGIN, "q.CommitNonOpaqueTriangleHit()", TRIANGLE), (TO_BOX, "q.CommitProceduralPrimitiveHit(3.25)", BOX)],
    ids=["triangle", "box"],
)
def test_query_methods(run: Runner, origin: Sequence[float], hit: str, values: dict[str, Values]) -> None:
    """Every method of a query has the right value, for the candidate and after the commit."""
    run.needs("rayQuery")
    source = f"""
RaytracingAccelerationStructure scene : register(t0);
RWStructuredBuffer<float> seen : register(u1);
[numthreads(1, 1, 1)] void main() {{
    RayQuery<RAY_FLAG_NONE> q;
    RayDesc r; {RAY}
    r.Origin = float3{tuple(origin)};
    q.TraceRayInline(scene, {FLAGS}, 0xff, r);
    seen[{2 * ROOM}] = q.Proceed();
    {stores(values["candidate"], 0)}
    {hit};
    seen[{2 * ROOM + 1}] = q.Proceed();
    {stores(values["committed"], ROOM)}
}}"""
    resources: dict[tuple[int, int], Resource] = {(0, 0): SCENE, (0, 1): storage(4 * (2 * ROOM + 2))}
    seen = as_floats(run(source, resources, profile="cs_6_5", target_env="vulkan1.2")[0, 1])
    wrong = [*compare(values["candidate"], seen, 0), *compare(values["committed"], seen, ROOM)]
    assert not wrong, "\n".join(wrong)
    assert seen[2 * ROOM :] == (1, 0)


FLAGGED: dict[str, tuple[str, int]] = {
    "none": ("RAY_FLAG_NONE", 3),
    "skip triangles": ("RAY_FLAG_SKIP_TRIANGLES", 2),
    "skip boxes": ("RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES", 1),
    "cull what is opaque": ("RAY_FLAG_CULL_OPAQUE", 3),
    "cull what is not": ("RAY_FLAG_CULL_NON_OPAQUE", 0),
    "all is opaque": ("RAY_FLAG_FORCE_OPAQUE", 6),
    "cull front": ("RAY_FLAG_CULL_FRONT_FACING_TRIANGLES", 2),
    "cull back": ("RAY_FLAG_CULL_BACK_FACING_TRIANGLES", 3),
}
"""Flags of the type → 1 for a triangle as candidate, 2 for a box that is not opaque, 4 for a triangle committed, which
is not given as candidate, and for which a box is one, opaque."""


@pytest.mark.parametrize("name", FLAGGED)
@pytest.mark.parametrize("inline", [False, True], ids=["of the type", "of the call"])
def test_query_flags(run: Runner, name: str, inline: bool) -> None:
    """Ray flags have their effect in the type of a `RayQuery` and in the call of ``TraceRayInline``.

    Flags that skip geometry need a capability.
    """
    run.needs("rayQuery")
    flags, wanted = FLAGGED[name]
    if "SKIP" in flags:
        run.needs("rayTraversalPrimitiveCulling")
    of_type, of_call = ("RAY_FLAG_NONE", flags) if inline else (flags, "RAY_FLAG_NONE")
    source = f"""
RaytracingAccelerationStructure scene : register(t0);
RWStructuredBuffer<uint> seen : register(u1);
[numthreads(1, 1, 1)] void main() {{
    uint noted = 0;
    for (int i = 0; i < 2; ++i) {{
        RayQuery<{of_type}> q;
        RayDesc r; {RAY}
        r.Origin = i == 0 ? float3{ORIGIN} : float3{TO_BOX};
        q.TraceRayInline(scene, {of_call}, 0xff, r);
        while (q.Proceed()) {{
            if (q.CandidateType() == CANDIDATE_NON_OPAQUE_TRIANGLE) noted |= 1;
            else if (q.CandidateProceduralPrimitiveNonOpaque()) noted |= 2;
            else if (q.CandidateType() == CANDIDATE_PROCEDURAL_PRIMITIVE) noted |= 2;
        }}
        if (q.CommittedStatus() == COMMITTED_TRIANGLE_HIT) noted |= 4;
    }}
    seen[0] = noted;
}}"""
    out = run(source, {(0, 0): SCENE, (0, 1): storage(4)}, profile="cs_6_5", target_env="vulkan1.2")[0, 1]
    assert out == bytes([wanted, 0, 0, 0])


def test_abort(run: Runner) -> None:
    """After an abort at the first of three candidates, no other follows."""
    run.needs("rayQuery")
    column = scene(*(Instance(triangles=square(0, 0, z), opaque=False) for z in (2, 4, 6)))
    source = """
RaytracingAccelerationStructure scene : register(t0);
RWStructuredBuffer<uint> seen : register(u1);
[numthreads(2, 1, 1)] void main(uint i : SV_GroupIndex) {
    RayQuery<RAY_FLAG_NONE> q;
    RayDesc r;
    r.Origin = float3(0.25, 0.25, 0); r.Direction = float3(0, 0, 1); r.TMin = 0; r.TMax = 100;
    q.TraceRayInline(scene, RAY_FLAG_NONE, 0xff, r);
    uint n = 0;
    while (q.Proceed()) {
        ++n;
        if (i == 1) q.Abort();
    }
    seen[i] = n;
}"""
    out = run(source, {(0, 0): column, (0, 1): storage(8)}, profile="cs_6_5", target_env="vulkan1.2")[0, 1]
    assert out == bytes([3, 0, 0, 0, 1, 0, 0, 0])
