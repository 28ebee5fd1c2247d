"""Tessellation, geometry and mesh shaders: the pixels that they draw.

The picture has 8 x 8 pixels; the pixel shader counts in a buffer how often each is covered, or stores its input there.
"""

from __future__ import annotations

import pytest

from tests.execute.tables import Runner, as_ints
from tests.execute.vulkan import storage

SIZE = 8

PIXEL = """
RWStructuredBuffer<int> seen : register(u0);
void main(float4 at : SV_Position, nointerpolation int mark : MARK) {
    seen[int(at.y) * 8 + int(at.x)] += mark;
}"""


def draw(run: Runner, sources: dict[str, str], count: int, *, topology: str = "triangles", patch: int = 0) -> list[int]:
    """Return the number that the pixel shader stored for each pixel, row by row."""
    models = {"ms": "6_5", "as": "6_5"}
    stages = {
        stage: run.compile(source, profile=f"{stage}_{models.get(stage, '6_0')}", target_env="vulkan1.3")
        for stage, source in {**sources, "ps": PIXEL}.items()
    }
    out = run.vulkan.run_graphics(
        stages, {(0, 0): storage(4 * SIZE * SIZE)}, (SIZE, SIZE), count, topology=topology, patch=patch
    )
    return list(as_ints(out[0, 0]))


def columns(*marks: int) -> list[int]:
    """Return the pixels of a picture, row by row: every row consists of the numbers ``marks``."""
    return list(marks) * SIZE


def test_geometry(run: Runner) -> None:
    """A point becomes two strips of one column each; two instances of the shader draw one each."""
    run.needs("geometryShader", "fragmentStoresAndAtomics")
    vertex = "float4 main(uint id : SV_VertexID, out int mark : MARK) : SV_Position { mark = id + 1; return 0; }"
    geometry = """
struct In { int mark : MARK; };
struct Out { float4 at : SV_Position; int mark : MARK; };
void corner(float x, float y, int mark, inout TriangleStream<Out> s) {
    Out o;
    o.at = float4(x / 4 - 1, y, 0, 1);
    o.mark = mark;
    s.Append(o);
}
[maxvertexcount(8)] [instance(2)]
void main(point In p[1], uint i : SV_GSInstanceID, inout TriangleStream<Out> s) {
    for (uint strip = 0; strip < 2; ++strip) {
        float x = 4 * i + 2 * strip;
        int mark = 10 * p[0].mark + 2 * i + strip;
        for (uint k = 0; k < 4; ++k)
            corner(x + (k & 1), k < 2 ? -1 : 1, mark, s);
        s.RestartStrip();
    }
}"""
    seen = draw(run, {"vs": vertex, "gs": geometry}, 1, topology="points")
    assert seen == columns(10, 0, 11, 0, 12, 0, 13, 0)


def test_tessellation(run: Runner) -> None:
    """Hull and domain shaders draw the expected columns.

    The patch constants depend on the input and output data of all control points.
    """
    run.needs("tessellationShader", "fragmentStoresAndAtomics")
    vertex = """
struct Point { float2 at : PLACE; int mark : WEIGHT; };
Point main(uint id : SV_VertexID) {
    Point p;
    p.at = float2(id & 1, id >> 1);
    p.mark = 1 << id;
    return p;
}"""
    hull = """
struct Point { float2 at : PLACE; int mark : WEIGHT; };
struct Constants { float edges[4] : SV_TessFactor; float inside[2] : SV_InsideTessFactor; int total : TOTAL; };
Constants constants(InputPatch<Point, 4> ip, OutputPatch<Point, 4> op, uint id : SV_PrimitiveID) {
    Constants c;
    [unroll] for (int i = 0; i < 4; ++i) c.edges[i] = 4;
    c.inside[0] = c.inside[1] = 4;
    c.total = 1000 * id + 100 * ip[3].mark;
    for (int k = 0; k < 4; ++k) c.total += op[k].mark;
    return c;
}
[domain("quad")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(4)]
[patchconstantfunc("constants")]
Point main(InputPatch<Point, 4> ip, uint i : SV_OutputControlPointID) {
    Point p = ip[i];
    p.mark *= 2;
    return p;
}"""
    domain = """
struct Point { float2 at : PLACE; int mark : WEIGHT; };
struct Constants { float edges[4] : SV_TessFactor; float inside[2] : SV_InsideTessFactor; int total : TOTAL; };
[domain("quad")]
float4 main(Constants c, float2 uv : SV_DomainLocation, const OutputPatch<Point, 4> p, out int mark : MARK)
    : SV_Position {
    mark = c.total + int(c.edges[3] + c.inside[1]);
    float2 at = lerp(lerp(p[0].at, p[1].at, uv.x), lerp(p[2].at, p[3].at, uv.x), uv.y);
    return float4(at.x - 1, at.y * 2 - 1, 0, 1);
}"""
    seen = draw(run, {"vs": vertex, "hs": hull, "ds": domain}, 4, topology="patches", patch=4)
    mark = 100 * 8 + 2 * (1 + 2 + 4 + 8) + 8
    assert seen == columns(*[mark] * 4, *[0] * 4)


MESH = """
struct Load { int marks[3]; float width; };
struct Rest { float clip : SV_ClipDistance0; nointerpolation int mark : MARK; };
struct Vertex { float4 at : SV_Position; Rest rest; };
struct Primitive { bool hidden : SV_CullPrimitive; };
[outputtopology("triangle")] [numthreads(4, 1, 1)]
void main(uint i : SV_GroupIndex, uint g : SV_GroupID, in payload Load load, out vertices Vertex v[4],
          out indices uint3 t[2], out primitives Primitive p[2]) {
    SetMeshOutputCounts(4, 2);
    Vertex made;
    made.at = float4((g * 2 + (i & 1) * load.width) / 4 - 1, i < 2 ? -1 : 1, 0, 1);
    made.rest.clip = 1;
    made.rest.mark = 0;
    v[i] = made;
    v[i].rest.mark = load.marks[g];
    if (i < 2) {
        t[i] = uint3(i, i == 0 ? 1 : 3, 2);
        p[i].hidden = g == 1;
    }
}"""
# Vectors are written whole: lavapipe (Mesa 25.0) loses components that are written one by one.


def test_mesh(run: Runner) -> None:
    """An amplification shader launches three groups; all but the second draw a column with the payload."""
    run.needs("meshShader", "taskShader", "fragmentStoresAndAtomics")
    amplification = """
struct Load { int marks[3]; float width; };
groupshared Load load;
[numthreads(3, 1, 1)] void main(uint i : SV_GroupIndex) {
    load.marks[i] = 5 + i;
    load.width = 1;
    DispatchMesh(3, 1, 1, load);
}"""
    seen = draw(run, {"as": amplification, "ms": MESH}, 1)
    assert seen == columns(5, 0, 0, 0, 7, 0, 0, 0)


@pytest.mark.parametrize("env", ["vulkan1.1", "vulkan1.3"])
@pytest.mark.parametrize("asked", ["helper", "IsHelperLane()"])
def test_helper_invocations(run: Runner, env: str, asked: str) -> None:
    """Quads on a triangle's edge have helper invocations, which a derivative makes visible to other pixels."""
    run.needs("fragmentStoresAndAtomics", "shaderDemoteToHelperInvocation")
    if env == "vulkan1.3":
        run.needs("meshShader")  # lavapipe without (Mesa 22) crashes at the built-in
    corner = "float4((id & 1) * 1.9 - 1, (id >> 1) * 1.9 - 1, 0, 1)"  # inside: clipping would make more edges
    vertex = f"float4 main(uint id : SV_VertexID) : SV_Position {{ return {corner}; }}"
    declared = ', [[vk::builtin("HelperInvocation")]] bool helper : HELPER' if asked == "helper" else ""
    pixel = f"""
RWStructuredBuffer<int> seen : register(u0);
void main(float4 at : SV_Position{declared}) {{
    float is_helper = {asked} ? 1 : 0;
    int around = abs(ddx_fine(is_helper)) + 2 * abs(ddy_fine(is_helper));
    seen[int(at.y) * {SIZE} + int(at.x)] = 1 + around + ({asked} ? 100 : 0);
}}"""
    stages = {
        stage: run.compile(source, profile=f"{stage}_6_6", target_env=env)
        for stage, source in {"vs": vertex, "ps": pixel}.items()
    }
    out = run.vulkan.run_graphics(stages, {(0, 0): storage(4 * SIZE * SIZE)}, (SIZE, SIZE), 3)
    seen = as_ints(out[0, 0])

    def is_covered(x: int, y: int) -> bool:
        return 0 <= x < SIZE and 0 <= y < SIZE and seen[y * SIZE + x] != 0

    wanted = [
        1 + (not is_covered(x ^ 1, y)) + 2 * (not is_covered(x, y ^ 1)) if is_covered(x, y) else 0
        for y in range(SIZE)
        for x in range(SIZE)
    ]
    assert list(seen) == wanted
    assert 0 in seen
    assert max(seen) > 1


@pytest.mark.parametrize("domain", ["quad", "tri"])
def test_tessellation_to_points(run: Runner, domain: str) -> None:
    """Each point of the domain is drawn once, in a pixel of its own."""
    run.needs("tessellationShader", "fragmentStoresAndAtomics")
    corners, place, inside = {"quad": (4, "float2", "inside[2]"), "tri": (3, "float3", "inside")}[domain]
    hull = f"""
struct Point {{ int mark : WEIGHT; }};
struct Constants {{ float edges[{corners}] : SV_TessFactor; float {inside} : SV_InsideTessFactor; }};
Constants constants(InputPatch<Point, 1> patch) {{
    Constants c;
    for (int i = 0; i < {corners}; ++i) c.edges[i] = 3;
    {"c.inside[0] = c.inside[1] = 3;" if corners == 4 else "c.inside = 3;"}
    return c;
}}
[domain("{domain}")] [partitioning("integer")] [outputtopology("point")] [outputcontrolpoints(1)]
[patchconstantfunc("constants")]
Point main(InputPatch<Point, 1> patch) {{ return patch[0]; }}"""
    evaluation = f"""
struct Point {{ int mark : WEIGHT; }};
struct Constants {{ float edges[{corners}] : SV_TessFactor; float {inside} : SV_InsideTessFactor; }};
struct Out {{ float4 at : SV_Position; int mark : MARK; [[vk::builtin("PointSize")]] float size : SIZE; }};
[domain("{domain}")] Out main(Constants c, {place} at : SV_DomainLocation, const OutputPatch<Point, 1> patch) {{
    Out o;
    o.at = float4((at.xy * 6 + 0.5) / 4 - 1, 0, 1);
    o.mark = patch[0].mark;
    o.size = 1;
    return o;
}}"""
    vertex = "struct Point { int mark : WEIGHT; }; Point main() { Point p; p.mark = 1; return p; }"
    seen = draw(run, {"vs": vertex, "hs": hull, "ds": evaluation}, 1, topology="patches", patch=1)
    assert set(seen) == {0, 1}
    assert sum(seen) == {"quad": 16, "tri": 12}[domain]
