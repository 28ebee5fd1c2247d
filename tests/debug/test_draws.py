"""Stages of draws: hull, domain and geometry shaders, and what runs before them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.source import SourceFile
from hlsl_tool.compiler.compile import compile_shader
from tests.debug.client import Client, RequestFailed
from tests.debug.conftest import Debug
from tests.debug.shaders import DRAW, line_of

STAGES = {"vertex": "VSMain", "hull": "HSMain", "domain": "DSMain", "geometry": "GSMain", "pixel": "PSMain"}
CORNERS = [[-1, -1], [1, -1], [-1, 1], [1, 1], [-1, 1], [1, -1]]
"""Two triangles."""
PROFILES = {entry: f"{entry[0].lower()}s_6_0" for entry in STAGES.values()}


def draw(debug: Debug, entry: str, breakpoints: list[Any], **configuration: Any) -> Client:
    """Launch a stage of the draw with all stages before it."""
    given = {"stages": STAGES, "vertices": 6, "attributes": {"PLACE": CORNERS}, "bind": {"scale": 0.5}}
    return debug(DRAW, breakpoints, entry=entry, profile=PROFILES[entry], **{**given, **configuration})


def thread(client: Client) -> str:
    """Return the name of the lanes that run."""
    return str(client.request("threads")["threads"][0]["name"])


def test_hull_shaders(debug: Debug) -> None:
    client = draw(debug, "HSMain", ["control", "bulge"], point=[0, 1])
    assert client.stop() == ("breakpoint", "HSMain", "control")
    assert thread(client) == "lane 3, point (0, 1), and 5 others"
    assert client.values("Locals") == {"p": "{ place = (0.5, 0.5, 0.3), colour = (0.0, 0.0, 0.0) }"}
    assert {name: client.values("Arguments")[name] for name in ("id", "number")} == {"id": "0", "number": "1"}
    points = client.children(client.scope("Arguments")["patch"])
    assert client.children(points["[2]"])["place"]["value"] == "(0.5, -0.5, 0.5)"
    assert client.evaluate("patch[1].place.z + number") == "1.4"
    assert client.evaluate("SV_OutputControlPointID") == "0"


def test_what_only_other_stages_use_has_no_value(debug: Debug) -> None:
    source = DRAW.replace("float scale;", "cbuffer Sizes { float scale; }; RWStructuredBuffer<float> unused;")
    given = {"stages": STAGES, "vertices": 3, "bind": {"scale": 0.5}}
    client = debug(source, ["control"], entry="HSMain", profile="hs_6_0", **given)
    client.stop()
    assert client.values("Resources").get("Sizes", "") in ("", "the shader does not use it")
    with pytest.raises(RequestFailed, match="the entry point does not use"):
        client.evaluate("scale * 2")


def test_patch_constant_functions_run_for_a_lane_of_each_patch(debug: Debug) -> None:
    client = draw(debug, "HSMain", ["bulge"])
    assert client.stop() == ("breakpoint", "Constants", "bulge")
    assert thread(client) == "lane 0, point (0, 0), and 1 other"
    assert client.values("Locals")["f"] == "{ edges = [1.0, 1.0, 1.0], inside = 1.0, bulge = 0.0 }"
    assert client.evaluate("lanes(f.inside)") == "1.0 | 2.0"
    assert client.go("next")[0] == "step"
    assert client.values("Locals")["f"].endswith("bulge = 0.2 }")
    client.go("stepBack")
    assert client.values("Locals")["f"].endswith("bulge = 0.0 }")
    client.break_at(client.source_path, [])
    assert client.go("continue")[0] == "terminated"
    output = client.output()
    assert "SV_TessFactor: float32 (4, 2)\n[[1. 2.]" in output
    assert "BULGE: float32 (2,)\n[0.2 0.5]" in output


def test_domain_shaders(debug: Debug) -> None:
    client = draw(debug, "DSMain", ["sum", "domain"], vertex=[2, 1])
    assert client.stop() == ("breakpoint", "DSMain", "sum")
    assert thread(client) == "lane 5, vertex (2, 1), and 9 others"
    arguments = client.values("Arguments")
    assert arguments["f"] == "{ edges = [2.0, 2.0, 2.0], inside = 2.0, bulge = 0.5 }"
    assert arguments["at"] == client.evaluate("SV_DomainLocation") == "(0.0, 0.0, 1.0)"
    for _ in range(2):
        assert client.go("continue") == ("breakpoint", "DSMain", "sum")
    assert client.go("continue") == ("breakpoint", "DSMain", "domain")
    assert client.values("Locals")["place"] == "(0.5, -0.5, 1.5)"
    assert client.evaluate("points[2].place.z") == "1.5"
    assert client.go("reverseContinue") == ("breakpoint", "DSMain", "sum")
    assert client.values("Locals")["i"] == "2"
    client.break_at(client.source_path, [])
    assert client.go("continue")[0] == "terminated"
    assert "indices: int64 (7, 3)" in client.output()


def test_geometry_shaders_show_the_vertices_that_they_emit(debug: Debug) -> None:
    client = draw(debug, "GSMain", ["append", "emitted"], primitive=1)
    assert client.stop() == ("breakpoint", "GSMain", "append")
    assert thread(client) == "lane 1, primitive 1, and 6 others"
    assert client.scope("Emitted vertices") == {}
    assert client.values("Arguments")["number"] == "1"
    for _ in range(2):
        assert client.go("continue") == ("breakpoint", "GSMain", "append")
    emitted = client.scope("Emitted vertices")
    assert [row["value"].partition(":")[0] for row in emitted.values()] == ["strip 0", "strip 0"]
    first = {name: row["value"] for name, row in client.children(emitted["[0]"]).items()}
    assert first == {"SV_Position": "(-0.5, 0.5, 0.5, 1.5)", "COLOR": "(1.0, 0.0, 0.0)"}
    assert client.go("continue") == ("breakpoint", "GSMain", "emitted")
    assert len(client.scope("Emitted vertices")) == 3
    client.go("stepBack")
    client.go("stepBack")
    assert len(client.scope("Emitted vertices")) == 2 + (client.mark(client.frames()[0]["line"]) != "append")
    client.break_at(client.source_path, [])
    assert client.go("continue")[0] == "terminated"
    assert "SV_Position: float32 (4, 21)" in client.output()


def test_pixel_shaders_behind_other_stages(debug: Debug) -> None:
    client = draw(debug, "PSMain", ["pixel"], size=[16, 16], pixel=[5, 5])
    assert client.stop() == ("breakpoint", "PSMain", "pixel")
    assert thread(client) == "lane 3, pixel (5, 5), and 15 others"
    colour = client.evaluate("c.colour")
    assert np.allclose([float(number) for number in colour[1:-1].split(",")], [0.75, 0.125, 0.125], atol=1e-6)


def test_lanes_are_samples_if_the_shader_reads_their_number(debug: Debug) -> None:
    source = DRAW.replace("PSMain(Corner c)", "PSMain(Corner c, uint sample : SV_SampleIndex)")
    source = source.replace("c.colour; // pixel", "c.colour + sample; // pixel")
    given = {"stages": STAGES, "vertices": 6, "attributes": {"PLACE": CORNERS}, "bind": {"scale": 0.5}, "blend": "add"}
    options = {"profile": "ps_6_0", "size": [16, 16], "samples": 4, "pixel": [5, 5, 2]}
    client = debug(source, ["pixel"], entry="PSMain", **options, **given)
    client.stop()
    assert ", pixel (5, 5, 2), and " in thread(client)
    assert client.evaluate("sample") == "2"
    assert client.evaluate("c.place.xy") == "(5.125, 5.625)"


@pytest.mark.parametrize(
    ("given", "primitives"),
    [({}, 2), ({"topology": "triangle strip"}, 4), ({"instances": 2}, 4), ({"vertices": 5}, 1)],
)
def test_stages_without_a_vertex_shader_read_the_attributes(
    debug: Debug, given: dict[str, Any], primitives: int
) -> None:
    count = given.get("vertices", 6)
    attributes = {"SV_Position": [[*corner, 0.5, 1] for corner in CORNERS[:count]]}
    client = draw(debug, "GSMain", ["append"], **{"stages": {}, "attributes": attributes, **given})
    assert client.stop() == ("breakpoint", "GSMain", "append")
    assert client.evaluate("corners[1].place") == "(1.0, -1.0, 0.5, 1.0)"
    client.break_at(client.source_path, [])
    client.go("continue")
    assert f"indices: int64 ({primitives}, 3)" in client.output()


def test_indices_form_primitives_of_vertices_that_run_once(debug: Debug) -> None:
    given = {"vertices": 4, "attributes": {"PLACE": CORNERS[:4]}, "indices": [0, 1, 2, 3, 2, 1]}
    client = draw(debug, "GSMain", ["append"], stages={"vertex": "Corners"}, primitive=1, **given)
    client.stop()
    assert client.evaluate("corners[0].place.xy") == "(1.0, 1.0)"
    assert client.evaluate("corners[2].place.xy") == "(1.0, -1.0)"


def test_instances_are_named(debug: Debug) -> None:
    client = draw(debug, "VSMain", ["vertex"], instances=2, vertex=[1, 1])
    client.stop()
    assert thread(client) == "lane 7, vertex (1, 1), and 11 others"


def test_stages_of_other_files(debug: Debug, client: Client, tmp_path: Any) -> None:
    (tmp_path / "other.hlsl").write_text(DRAW.replace("id * 0.1", "id * 0.2"))
    stages = {**STAGES, "vertex": "other.hlsl:VSMain"}
    draw(debug, "HSMain", ["control"], stages=stages, point=[1], cwd=str(tmp_path))
    client.stop()
    assert client.evaluate("p.place") == "(0.5, -0.5, 0.2)"


def test_stages_that_are_modules(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "draw.hlsl"
    path.write_text(DRAW)
    for entry in ("VSMain", "HSMain"):
        options = CompileOptions(debug=("vulkan",), optimize="none", target_env="vulkan1.1")
        source = SourceFile(str(path), str(path), DRAW)
        result = compile_shader(source, entry=entry, profile=PROFILES[entry], options=options)
        (tmp_path / f"{entry}.spv").write_bytes(result.spirv)
    module = str(tmp_path / "HSMain.spv")
    client.request("initialize")
    client.source_text = DRAW
    given = {"stages": {"vertex": "VSMain.spv:VSMain"}, "vertices": 3, "attributes": {"PLACE": CORNERS[:3]}, "seed": 1}
    constants = {"$Globals": {"scale": 0.5}}
    client.request("launch", program=module, cwd=str(tmp_path), bind=constants, **given)
    client.break_at(path, [line_of(DRAW, "control")])
    client.request("configurationDone")
    assert client.stop() == ("breakpoint", "HSMain", "control")
    assert client.evaluate("p.place") == "(-0.5, -0.5, 0.0)"


ADJACENT = """\
struct Corner { float4 place : SV_Position; };
[maxvertexcount(2)] [instance(2)]
void main(lineadj Corner corners[4], uint instance : SV_GSInstanceID, inout LineStream<Corner> strip)
{
    for (int i = 0; i < 2; ++i)
    {
        Corner c = corners[1 + i];
        c.place.z = corners[0].place.x + corners[3].place.x + instance; // adjacent
        strip.Append(c);
    }
}
"""


def test_primitives_with_adjacency(debug: Debug) -> None:
    attributes = {"SV_Position": [[n, n, 0, 1] for n in range(8)]}
    options = {"profile": "gs_6_0", "vertices": 8, "attributes": attributes, "primitive": [1, 1]}
    client = debug(ADJACENT, ["adjacent"], **options)
    client.stop()
    assert thread(client) == "lane 3, primitive (1, 1), and 3 others"
    client.go("next")
    assert client.evaluate("c.place") == "(5.0, 5.0, 12.0, 1.0)"


MESHES = """\
struct Payload { uint count; };
groupshared Payload payload;
[numthreads(1, 1, 1)] void Tasks(uint g : SV_GroupID)
{
    payload.count = g + 5;
    DispatchMesh(1 + g, 1, 1, payload);
}
struct Corner { float4 place : SV_Position; };
[outputtopology("triangle")] [numthreads(3, 1, 1)]
void Mesh(
    uint i : SV_GroupIndex, uint g : SV_GroupID, in payload Payload given, out vertices Corner corners[3],
    out indices uint3 triangles[1])
{
    SetMeshOutputCounts(3, 1);
    Corner corner;
    corner.place = float4(i, g, given.count, 1); // corner
    corners[i] = corner;
    if (i == 0) triangles[0] = uint3(0, 1, 2);
}
"""


def test_mesh_shaders_get_the_payload_of_an_amplification_shader(debug: Debug) -> None:
    stages = {"amplification": "Tasks", "mesh": "Mesh"}
    client = debug(MESHES, ["corner"], profile="ms_6_5", entry="Mesh", groups=2, stages=stages)
    seen = []
    while client.stop()[0] != "terminated":
        seen.append(client.evaluate("lanes(given.count)"))
        client.request("continue", threadId=1)
    assert seen == ["5", "6"]
    assert "SV_Position: float32 (4, 9)\n[[0. 1. 2. 0. 1. 2. 0. 1. 2.]" in client.output()


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("DSMain", {"stages": {}}, "a domain shader needs its hull shader among the stages before it"),
    ("HSMain", {"vertices": None, "groups": 1}, "a draw that begins with a vertex shader needs `vertices`"),
    (
        "PSMain",
        {"vertices": None, "groups": 1, "size": [4, 4]},
        "a draw that begins with a vertex shader needs `vertices`",
    ),
    ("HSMain", {"stages": {"vertexx": "VSMain"}}, "`stages`: there is no stage `vertexx`; did you mean `vertex`?"),
    ("HSMain", {"stages": {"vertex": "GSMain"}}, "GSMain"),
    ("HSMain", {"stages": {"vertex": "absent"}}, "absent"),
    ("HSMain", {"stages": {"vertex": "absent.hlsl:main"}}, "absent.hlsl"),
    ("HSMain", {"stages": {"vertex": 3}}, "`stages`: `vertex` is the name of an entry point, not 3"),
    ("HSMain", {"stages": ["VSMain"]}, "`stages` is a mapping of names to values, such as"),
    ("GSMain", {"topology": "trianglez"}, "there is no topology `trianglez`; did you mean `triangles`?"),
    (
        "PSMain",
        {"stages": None, "vertices": None, "attributes": None, "size": [4, 4], "samples": 4},
        "`samples` is for draws: `stages` names the shaders before this one",
    ),
    (
        "PSMain",
        {"size": [4, 4], "stages": {"vertex": "VSMain", "hull": "HSMain"}},
        "a pixel shader behind a hull shader needs the domain shader between them",
    ),
    (
        "PSMain",
        {"size": [4, 4], "stages": {"vertex": "VSMain"}},
        "`VSMain` is a vertex shader that does not write SV_Position",
    ),
    (
        "HSMain",
        {"topology": "lines"},
        "`topology` is for draws without a hull shader, which reads patches",
    ),
    ("PSMain", {"samples": 5}, "`samples`: a pixel has 1, 2, 4, 8 or 16 samples, not 5"),
    ("PSMain", {"blend": {"source": 1}}, "a blending is a name, or factors:"),
    ("PSMain", {"blend": 3}, "a blending is a name, or factors:"),
    ("PSMain", {"depth": "equals"}, "there is no comparison `equals`; did you mean `equal`?"),
    ("PSMain", {}, "a pixel shader needs the `size` of the picture"),
    ("VSMain", {"pixel": [1, 1]}, "`pixel` is for `size`, and this configuration has `vertices`"),
    ("VSMain", {"indices": [0, 6]}, "`indices`: an index is outside of the 6 vertices"),
    ("VSMain", {"indices": [0.5]}, "`indices`: has to be a list of whole numbers"),
    ("VSMain", {"attributes": {"PLACE": [[1, 2], [3]]}}, "the attribute `PLACE`: the rows differ in length"),
    ("VSMain", {"attributes": {"PLACE": "absent.npy"}}, "the attribute `PLACE`: cannot read `absent.npy`"),
    ("VSMain", {"attributes": {"UV": CORNERS}}, "`UV` is no input of the first stage (it has: `PLACE`)"),
]


@pytest.mark.parametrize(("entry", "change", "message"), WRONG, ids=[message[:30] for _, _, message in WRONG])
def test_wrong_draws(debug: Debug, entry: str, change: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestFailed) as failure:
        draw(debug, entry, [], **change)
    assert message in str(failure.value)


@pytest.mark.parametrize("entry", ["DSMain", "GSMain", "PSMain"])
def test_stages_that_nothing_reaches_are_reported(debug: Debug, entry: str) -> None:
    source = DRAW.replace("= 1 + number; // factors", "= 0; // factors")
    given = {"stages": STAGES, "vertices": 3, "bind": {"scale": 0.5}, "stopOnEntry": True}
    size = {"size": [8, 8]} if entry == "PSMain" else {}
    client = debug(source, [], entry=entry, profile=PROFILES[entry], **given, **size)
    assert client.stop()[0] == "terminated"
    assert client.output().startswith("no lane runs: nothing reaches this stage\n")


def test_draws_that_cannot_run_end_with_an_error(debug: Debug) -> None:
    client = draw(debug, "HSMain", ["control"], vertices=2, attributes={"PLACE": CORNERS[:2]})
    assert client.stop()[0] == "terminated"
    assert "a patch has 3 vertices, and the draw has fewer" in client.output()


def test_stages_whose_interfaces_do_not_fit_are_refused(debug: Debug) -> None:
    source = (
        "float4 VSMain(float2 p : PLACE, out int2 n : NUMBER) : SV_Position { n = 1; return float4(p, 0, 1); }\n"
        "float4 PSMain(float4 p : SV_Position, %s : NUMBER) : SV_Target { return n.xyxy; }\n"
    )
    given = {"entry": "PSMain", "profile": "ps_6_0", "stages": {"vertex": "VSMain"}, "vertices": 3, "size": [4, 4]}
    with pytest.raises(RequestFailed) as failure:
        debug(source % "float2 n", [], **given)
    assert "do not fit together" in str(failure.value)
    assert "reads 'NUMBER' (float2) at location 0, where the vertex stage writes 'NUMBER' (int2)" in str(failure.value)


MESHLET = """
struct Corner { float4 position : SV_Position; float4 a : A; float4 b : B; };
[numthreads(3, 1, 1)] [outputtopology("triangle")]
void main(uint i : SV_GroupIndex, out vertices Corner corners[3], out indices uint3 triangles[1])
{
    SetMeshOutputCounts(3, 1);
    Corner corner;
    corner.position = float4(0.123456789, 0.23456789, 0.3456789, i);
    corner.a = corner.position;
    corner.b = corner.a;
    corners[i] = corner;  // store
    triangles[0] = uint3(0, 1, 2);
}
"""


def test_values_are_shortened_only_where_more_follow(debug: Debug) -> None:
    client = debug(MESHLET, ["store"], profile="ms_6_5", groups=1)
    client.stop()
    assert client.values("Locals")["corner"].count("…") == 0
    assert client.values("Locals")["corner"].endswith(") }")
    assert client.values("Stage inputs and outputs")["indices"] == "[(0, 0, 0)]"


def test_draws_of_meshes_have_no_vertices(debug: Debug) -> None:
    with pytest.raises(RequestFailed, match="`attributes` is for draws of vertices, and this one begins with groups"):
        debug(MESHLET, [], profile="ms_6_5", groups=1, attributes={"A": [1]})
