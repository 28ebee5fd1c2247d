"""Scopes, variables, expressions, tables of lanes, data breakpoints."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.debug.client import Client, RequestFailed
from tests.debug.conftest import Debug
from tests.debug.shaders import COMPUTE, PIXEL, RAYS, VERTEX


def test_scopes_have_the_variables_of_the_function(debug: Debug) -> None:
    client = debug(COMPUTE, ["end of sum"])
    client.stop()
    frame = client.frames()[0]["id"]
    names = [scope["name"] for scope in client.request("scopes", frameId=frame)["scopes"]]
    assert names == [
        "Locals", "Arguments", "Statics", "Shared memory", "Resources", "Stage inputs and outputs", "Lanes",
    ]  # fmt: skip
    assert list(client.scope("Locals")) == ["total", "i"]
    assert client.values("Statics") == {"counter": "3"}
    assert list(client.scope("Resources")) == ["In", "Out", "Params"]
    assert client.scope("Arguments")["item"]["type"] == "Item"


def test_callers_have_their_own_variables(debug: Debug) -> None:
    client = debug(COMPUTE, ["scaled"])
    client.stop()
    inner, middle, outer = (frame["id"] for frame in client.frames())
    assert list(client.scope("Arguments", inner)) == ["x", "by"]
    assert list(client.scope("Locals", middle)) == ["total", "i", "w"]
    assert list(client.scope("Arguments", outer)) == ["id", "lane"]
    assert client.evaluate("w", frameId=middle) == client.values("Arguments", inner)["x"]


def test_variables_are_expanded(debug: Debug) -> None:
    client = debug(COMPUTE, ["end of sum"])
    client.stop()
    item = client.children(client.scope("Arguments")["item"])
    assert {name: row["type"] for name, row in item.items()} == {
        "position": "float3", "kind": "uint", "weights": "float[3]",
    }  # fmt: skip
    weights = client.children(item["weights"])
    assert list(weights) == ["[0]", "[1]", "[2]"]
    assert weights["[2]"]["evaluateName"] == "item.weights[2]"
    assert client.evaluate("item.weights[2]") == weights["[2]"]["value"]
    assert list(client.children(item["position"])) == ["x", "y", "z"]
    shape = client.children(client.scope("Resources")["Params"])["shape"]
    assert shape["type"] == "float2x3"
    assert shape["value"] == "((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))"
    assert client.children(shape)["[1]"]["value"] == "(4.0, 5.0, 6.0)"


def test_elements_of_buffers_come_in_pages(debug: Debug) -> None:
    client = debug(COMPUTE, ["entry"], groups=200, bind={"Out": "zeros:1600", "In": "zeros:20000"})
    client.stop()
    assert len(client.children(client.scope("Resources")["In"], count=1 << 40)) == 10_000
    buffer = client.scope("Resources")["Out"]
    assert (buffer["type"], buffer["indexedVariables"]) == ("RWStructuredBuffer<float>", 1600)
    page = client.children(buffer, filter="indexed", start=1500, count=3)
    assert list(page) == ["[1500]", "[1501]", "[1502]"]
    assert client.children(buffer, filter="named") == {}
    assert len(client.children(buffer)) == 1000


def test_signs_booleans_and_matrices(debug: Debug) -> None:
    source = (
        "RWStructuredBuffer<float> o;\ncbuffer B { bool2 flags; int negative; };\nenum Mode { A, B2 };\n"
        "[numthreads(1, 1, 1)] void main() {\n    int2x3 m = int2x3(1, -2, 3, 4, 5, 6); bool b = negative < 0;\n"
        "    float f[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };\n"
        "    o[0] = m[0][1] + b + f[1][2] + negative + flags.y;  // end\n}\n"
    )
    client = debug(source, ["end"], profile="cs_6_0", groups=1, bind={"negative": -7, "flags": [False, True]})
    client.stop()
    local = client.scope("Locals")
    assert local["m"]["value"] == "[(1, -2, 3), (4, 5, 6)]"  # debug information calls it an array of vectors
    assert local["b"]["value"] == "true"
    assert local["f"]["type"] == "float[2][3]"
    assert local["f"]["value"] == "[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]"
    assert client.evaluate("flags") == "(false, true)"
    assert client.evaluate("negative") == "-7"
    assert client.evaluate("m[1] * 2") == "(8, 10, 12)"
    assert client.evaluate("f[1][2] + f[0][0]") == "7.0"


EXPRESSIONS = [
    ("total * 0", "0.0"),
    ("i + 1", "4"),
    ("factor", "2.0"),
    ("shape[1].xy", "(4.0, 5.0)"),
    ("mul(shape, float3(1, 0, 0))", "(1.0, 4.0)"),
    ("scaled(3, factor)", "6.0"),
    ("scaled(30, factor)", "10.0"),
    ("counter + 0.5", "3.5"),
    ("In[2].kind == item.kind || true", "true"),
    ("max(item.weights[0], 7)", "7.0"),
    ("(uint)cache[3] + SV_DispatchThreadID.x", "0"),
    ("i > 2 ? float3(1, 2, 3).zyx : 0", "(3.0, 2.0, 1.0)"),
]


def test_expressions(debug: Debug) -> None:
    client = debug(COMPUTE, ["end of sum"])
    client.stop()
    assert {text: client.evaluate(text) for text, _ in EXPRESSIONS} == dict(EXPRESSIONS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("undeclared + 1", "use of undeclared identifier 'undeclared'"),
        ("item.colour", "no member named 'colour' in 'Item'"),
        ("total = 3", "expressions that change variables are not evaluated"),
        ("i++", "expressions that change variables are not evaluated"),
        ("1 +", "expected expression"),
        ("WaveActiveSum(1)", "the shader has no wave intrinsics"),
        ("lane 99", "no lane here is lane 99"),
        ("}", "expected"),
    ],
)
def test_expressions_that_cannot_be_evaluated(debug: Debug, text: str, message: str) -> None:
    client = debug(COMPUTE, ["end of sum"])
    client.stop()
    with pytest.raises(RequestFailed, match=message):
        client.evaluate(text)
    assert client.evaluate("i") == "3"


def test_expressions_change_nothing(debug: Debug) -> None:
    source = COMPUTE.replace("float sum(", "float count() { counter += 5; Out[0] = 9; return counter; }\nfloat sum(")
    client = debug(source, ["entry"], profile="cs_6_0", groups=2, bind={"factor": 2})
    client.stop()
    assert client.evaluate("count()") == "8.0"
    assert client.values("Statics")["counter"] == "3"
    assert client.evaluate("(Out[0])") == "0.0"


def test_lanes_as_a_table(debug: Debug) -> None:
    client = debug(COMPUTE, ["other"])
    client.stop()
    frame = client.frames()[0]["id"]
    table = client.request("evaluate", expression="lanes(SV_DispatchThreadID.x * 2)", frameId=frame)
    assert (table["indexedVariables"], table["result"]) == (16, "0 | 2 | 4 | 6 | …")
    rows = client.children(table, start=8, count=2)
    assert {name: row["value"] for name, row in rows.items()} == {
        "[8] thread (8, 0, 0)": "16", "[9] thread (9, 0, 0)": "18",
    }  # fmt: skip
    scope = client.scope("Lanes")
    lanes = client.children(scope["lane"])
    assert lanes["[15] thread (15, 0, 0)"]["value"] == "7"


def test_lanes_that_are_elsewhere_are_marked(debug: Debug) -> None:
    client = debug(PIXEL, ["then"])
    client.stop()
    rows = client.children(client.scope("Lanes")["uv"])
    assert rows["[16] pixel (8, 0)"]["value"] == "(0.53125, 0.03125)"
    assert rows["[0] pixel (0, 0)"]["value"] == "(0.03125, 0.03125)  (is elsewhere)"


def test_another_lane_can_be_chosen(debug: Debug) -> None:
    client = debug(COMPUTE, ["entry"])
    client.stop()
    client.evaluate("lane 12, 0, 0")
    client.event("stopped")
    assert client.values("Arguments")["id"] == "(12, 0, 0)"
    client.go("next")
    assert client.values("Arguments")["id"] == "(12, 0, 0)"


def test_a_thousand_lanes_are_one_thread(debug: Debug) -> None:
    client = debug(COMPUTE, ["entry"], groups=1000)
    client.stop()
    assert len(client.request("threads")["threads"]) == 1


def _watch(client: Client, name: str, kind: str = "write", **where: object) -> bool:
    where = where or {"frameId": client.frames()[0]["id"]}
    info = client.request("dataBreakpointInfo", name=name, **where)
    wanted = [{"dataId": info["dataId"], "accessType": kind}]
    return bool(client.request("setDataBreakpoints", breakpoints=wanted)["breakpoints"][0]["verified"])


def test_data_breakpoints_on_shared_memory(debug: Debug) -> None:
    client = debug(COMPUTE, ["entry"])
    client.stop()
    shared = client.scope("Shared memory")["cache"]
    assert _watch(client, "[5]", variablesReference=shared["variablesReference"])
    assert client.go("continue") == ("data breakpoint", "main", "barrier")
    assert float(client.evaluate("cache[5]")) != 0
    assert client.go("continue")[0] == "terminated"


def test_data_breakpoints_on_reads_of_an_element(debug: Debug) -> None:
    client = debug(COMPUTE, ["barrier"])
    client.stop()
    assert _watch(client, "cache[2]", "read")
    assert client.go("continue") == ("data breakpoint", "main", "other")


def test_data_breakpoints_on_locals_and_parts(debug: Debug) -> None:
    client = debug(COMPUTE, ["body"], thread=[3])
    client.stop()
    assert _watch(client, "total")
    client.break_at(client.source_path, [])
    seen = []
    while client.go("continue")[0] == "data breakpoint":
        seen.append((client.frames()[0]["name"], client.values("Locals")["total"]))
    assert [name for name, _ in seen] == ["sum"] * 3
    assert len({value for _, value in seen}) == 3


def test_a_value_without_storage_has_no_data_breakpoint(debug: Debug) -> None:
    client = debug(PIXEL, ["entry"])
    client.stop()
    info = client.request("dataBreakpointInfo", name="Linear", frameId=client.frames()[0]["id"])
    assert info["dataId"] is None
    answer = client.request("setDataBreakpoints", breakpoints=[{"dataId": "memory x"}])
    assert not answer["breakpoints"][0]["verified"]


METHODS = """\
namespace N { struct P { float3 v; float by(float f) {
    float l = length(v) * f;  // method
    return l; } }; }
struct Base { float b; };
struct Derived : Base { int2 d; };
template<typename T> T twice(T x) {
    T y = x + x;  // template
    return y; }
enum Mode { PLAIN, FANCY = 5 };
RWBuffer<uint> typed;
RWTexture2D<float4> image;
StructuredBuffer<float4x4> matrices;
AppendStructuredBuffer<float2> list;
ConstantBuffer<Base> block;
cbuffer C { Derived one; };
float inverse(inout float a, out float b) { static int calls = 0; calls++; b = a * 2; a += 1; return a + b; }
[numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    N::P p; p.v = float3(0, 3, 4);
    float l = p.by(2);
    float x = 3, y;
    float r = inverse(x, y);
    int t = twice(7) + (int)twice(1.5f);
    uint sum = WaveActiveSum(id.x);
    list.Append(p.v.zx);
    typed[id.x] = FANCY + sum;
    image[id.xy] = one.b + block.b + r + t + matrices[0][0];  // end
}
"""
VALUES = [
    ("p.by(3)", "15.0"),
    ("twice(l)", "20.0"),
    ("FANCY", "5"),
    ("WaveActiveSum(1)", "4"),
    ("typed[2]", "11"),
    ("image[int2(0, 0)]", "(0.0, 0.0, 0.0, 0.0)"),
    ("matrices[0][1]", "(0.0, 1.0, 0.0, 0.0)"),
    ("block.b", "3.0"),
    ("one.b + one.d.x", "5.0"),
    ("calls", "1"),
    ("float2(x, y)", "(4.0, 6.0)"),
    ("list", "[(4.0, 0.0), (4.0, 0.0), (4.0, 0.0), (4.0, 0.0)]"),
]


def test_methods_templates_and_resources(debug: Debug) -> None:
    identity = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    bind = {
        "matrices": [identity],
        "block": {"b": 3},
        "one": {"member0": {"b": 2}, "d": [3, 4]},
        "image": "zeros:4x4x4",
    }
    client = debug(METHODS, ["method", "template", "end"], profile="cs_6_0", groups=1, bind=bind)
    assert client.stop() == ("breakpoint", "N::P.by", "method")
    assert [client.evaluate(text) for text in ("v", "this.v", "length(v) * f", "this.v.z + 1")] == [
        "(0.0, 3.0, 4.0)", "(0.0, 3.0, 4.0)", "10.0", "5.0",
    ]  # fmt: skip
    assert client.go("continue") == ("breakpoint", "twice", "template")
    assert client.scope("Arguments")["x"]["type"] == "int"
    assert client.go("continue") == ("breakpoint", "twice", "template")
    assert client.scope("Arguments")["x"]["type"] == "float"
    assert client.go("continue") == ("breakpoint", "main", "end")
    shown = {text: client.evaluate(text) for text, _ in VALUES}
    assert {text: value.partition(" (4 el")[0] for text, value in shown.items()} == dict(VALUES)
    with pytest.raises(RequestFailed, match="use of undeclared identifier 'this'"):
        client.evaluate("this.v")
    assert list(client.scope("Statics")) == ["calls"]


# ---- stages


def test_pixels_with_derivatives_and_textures(debug: Debug) -> None:
    client = debug(PIXEL, ["end"], bind={"brightness": 2}, pixel=[5, 9], alone=False)
    client.stop()
    assert client.request("threads")["threads"][0]["name"].startswith("lane 139, pixel (5, 9)")
    assert client.values("Arguments")["position"] == "(5.5, 9.5, 0.0, 1.0)"
    assert client.evaluate("ddx(uv)") == "(0.0625, 0.0)"
    resources = client.scope("Resources")
    assert resources["Albedo"]["value"] == "Texture2D<float4>, 64 × 64"
    assert client.children(resources["Albedo"])["format"]["value"].startswith("Rgba")
    assert resources["brightness"]["value"] == "2.0"
    assert client.evaluate("(Albedo)") == "image, 64 × 64"
    assert client.evaluate("texel.y") == client.evaluate("Albedo.Sample(Linear, uv).y")
    assert client.go("continue")[0] == "terminated"
    assert client.output().startswith("SV_Target0: float32 (16, 16, 4)")


def test_a_chosen_pixel_runs_with_those_around_it(debug: Debug) -> None:
    client = debug(PIXEL, ["end"], size=[1920, 1080], pixel=[1001, 702])
    client.stop()
    assert client.request("threads")["threads"][0]["name"] == "lane 49, pixel (1001, 702), and 63 others"
    assert client.values("Arguments")["position"] == "(1001.5, 702.5, 0.0, 1.0)"
    assert client.go("stepBack") == ("step", "main", "then")


def test_the_group_of_a_thread_can_run_alone(debug: Debug) -> None:
    client = debug(COMPUTE, ["out"], groups=[30, 20], thread=[101, 2], alone=True)
    client.stop()
    assert client.request("threads")["threads"][0]["name"] == "lane 5, thread (101, 2, 0), and 7 others"
    assert client.go("continue")[0] == "terminated"


def test_helper_lanes_are_named(debug: Debug) -> None:
    client = debug(PIXEL, ["edge"], size=[15, 15])
    client.stop()
    frame = client.frames()[0]["id"]
    table = client.request("evaluate", expression="lanes(value)", frameId=frame)
    names = list(client.children(table))
    assert "[29] pixel (15, 0), a helper" in names
    assert client.evaluate("fwidth(value)") != "0.0"


def test_vertices_with_attributes(debug: Debug) -> None:
    positions = [[1, 2, 3], [4, 5, 6.5], [7, 8, 9]]
    matrix = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    client = debug(VERTEX, ["uv"], attributes={"POSITION": positions}, bind={"view": matrix, "flag": 1}, vertex=1)
    client.stop()
    assert client.evaluate("result.position") == "(5.0, 6.0, 7.5, 2.0)"
    assert client.evaluate("vertex.position") == "(4.0, 5.0, 6.5)"
    assert client.evaluate("flag") == "true"
    assert client.go("continue")[0] == "terminated"
    assert "SV_Position: float32 (4, 3)" in client.output()


TRIANGLE = [[[0, 0, 1], [1, 0, 1], [0, 1, 1]]]


def _trace(debug: Debug, breakpoints: list[str], **configuration: Any) -> Client:
    rays = {"profile": "lib_6_3", "entry": "Generate", "rays": [8, 8], "scene": {"triangles": TRIANGLE}}
    rays["bind"] = {"picture": "zeros:8x8x4", "sky": [0, 0, 1]}
    return debug(RAYS, breakpoints, **{**rays, **configuration})


def test_rays_call_shaders(debug: Debug) -> None:
    client = _trace(debug, ["shade", "miss"])
    assert client.stop() == ("breakpoint", "shade", "shade")
    assert [(frame["name"], client.mark(frame["line"])) for frame in client.frames()] == [
        ("shade", "shade"),
        ("Closest", "colour"),
        ("Generate", "trace"),
    ]
    assert client.request("threads")["threads"][0]["name"] == "lane 0, ray (0, 0, 0), and 35 others"
    assert client.go("stepOut") == ("step", "Closest", "colour")
    assert client.values("Locals")["distance"] == "2.0"
    assert client.evaluate("shade(distance)").startswith("(0.33333")
    assert client.evaluate("RayTCurrent") == "2.0"
    assert client.values("Arguments")["payload"] == "{ colour = (0.0, 0.0, 0.0), depth = 0 }"
    assert client.evaluate("hit.weights * 16") == "(1.0, 1.0)"
    assert client.go("continue") == ("breakpoint", "Miss", "miss")
    assert client.evaluate("sky") == "(0.0, 0.0, 1.0)"
    assert client.go("reverseContinue") == ("breakpoint", "shade", "shade")


def test_rays_miss_in_a_configuration_without_a_scene(debug: Debug) -> None:
    client = _trace(debug, ["miss"], scene=None)
    assert client.stop() == ("breakpoint", "Miss", "miss")
    client.break_at(client.source_path, [])
    assert client.go("continue")[0] == "terminated"
    assert "error" not in client.output()


def test_only_one_ray_stops(debug: Debug) -> None:
    client = _trace(debug, ["colour", "miss"], ray=[7, 3])
    assert client.stop() == ("breakpoint", "Miss", "miss")
    assert client.go("next")[1] in ("Miss", "Generate")
    assert client.go("continue")[0] == "terminated"


def test_ray_queries_hit_the_scene(debug: Debug) -> None:
    source = (
        "RaytracingAccelerationStructure scene; RWStructuredBuffer<float> o;\n"
        "[numthreads(1, 1, 1)] void main() {\n    RayDesc ray = { float3(0.2, 0.2, 0), 0, float3(0, 0, 1), 9 };\n"
        "    RayQuery<RAY_FLAG_NONE> query;\n    query.TraceRayInline(scene, 0, 0xff, ray);\n"
        "    query.Proceed();\n    float t = query.CommittedRayT();\n    o[0] = t;  // end\n}\n"
    )
    client = debug(source, ["end"], profile="cs_6_5", groups=1, scene={"triangles": TRIANGLE})
    client.stop()
    assert client.values("Locals")["t"] == "1.0"


def test_unused_parameters_say_so(debug: Debug) -> None:
    source = VERTEX.replace(" + number", "")
    client = debug(source, ["entry"], profile="vs_6_0", vertices=3)
    client.stop()
    assert client.values("Arguments")["number"] == "the shader does not use it"


def test_values_are_json(debug: Debug) -> None:
    client = debug(COMPUTE, ["entry"], bind={"factor": 1e38})
    client.stop()
    assert json.dumps(client.scope("Resources"))
    assert client.evaluate("factor * factor") == "inf"


TASKS = """\
struct Payload { uint count; };
groupshared Payload payload;
[numthreads(2, 1, 1)] void Tasks(uint i : SV_GroupIndex, uint g : SV_GroupID)
{
    if (i == 0) payload.count = g + 1;
    GroupMemoryBarrierWithGroupSync();
    DispatchMesh(payload.count, 1, 1, payload); // dispatch
}
struct Corner { float4 place : SV_Position; float3 colour : COLOR; };
float scale;
[outputtopology("triangle")] [numthreads(3, 1, 1)]
void Mesh(uint i : SV_GroupIndex, uint g : SV_GroupID, out vertices Corner corners[3], out indices uint3 triangles[1])
{
    SetMeshOutputCounts(3, 1);
    float2 uv = float2(i & 1, i >> 1);
    Corner corner;
    corner.place = float4(uv * scale + g, 0, 1);
    corner.colour = float3(uv, 0); // colour
    corners[i] = corner;
    if (i == 0) triangles[0] = uint3(0, 1, 2);
}
"""


def test_mesh_shaders(debug: Debug) -> None:
    options = {"profile": "ms_6_5", "entry": "Mesh", "groups": 2, "bind": {"scale": 2}}
    client = debug(TASKS, ["colour"], thread=[4, 0, 0], **options)
    assert client.stop() == ("breakpoint", "Mesh", "colour")
    assert client.values("Locals")["corner"].startswith("{ place = (3.0, 1.0, 0.0, 1.0), ")
    outputs = dict.fromkeys(("corners", "triangles"), "an output, or not used")
    assert client.values("Arguments") == {"i": "1", "g": "1", **outputs}
    client.break_at(client.source_path, [])
    assert client.go("continue")[0] == "terminated"
    assert client.output().splitlines()[:3] == [
        "SV_Position: float32 (4, 6)",
        "[[0. 2. 0. 1. 3. 1.]",
        " [0. 0. 2. 1. 1. 3.]",
    ]


def test_amplification_shaders(debug: Debug) -> None:
    client = debug(TASKS, ["dispatch"], profile="as_6_5", entry="Tasks", groups=3, thread=[4, 0, 0], alone=True)
    assert client.stop() == ("breakpoint", "Tasks", "dispatch")
    assert client.evaluate("payload.count") == "3"
    assert client.request("threads")["threads"][0]["name"] == "lane 0, thread (4, 0, 0), and 1 other"
    assert client.go("continue")[0] == "terminated"
    assert client.output() == "groups: uint32 (1, 3)\n[[3 1 1]]\n"
