"""Inputs of a stage are compared with the outputs of the stage before it."""

from __future__ import annotations

import json
import pathlib
import random

import pytest

from hlsl_tool.base.diagnostics import Sink, WarningOptions
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.cli.__main__ import run
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.reflection.linking.order import before, earlier
from hlsl_tool.reflection.linking.pipeline import (
    StageError,
    check_alternatives,
    check_pipeline,
    check_sharing,
    check_stages,
)
from hlsl_tool.reflection.linking.stage_interfaces import Slot, StageInterface, stage_interfaces
from tests.unit.linking.support import needs_optimizer

pytestmark = needs_optimizer


def module(text: str, profile: str, **options: object) -> bytes:
    given = CompileOptions(validate="no", target_env="vulkan1.2", **options)  # type: ignore[arg-type]  # by name
    result = compile_shader(text, profile=profile, options=given)
    assert result.ok, [d.message for d in result.diagnostics]
    return result.spirv


def interface(text: str, profile: str, entry: str = "main", **options: object) -> StageInterface:
    given = CompileOptions(validate="no", target_env="vulkan1.2", **options)  # type: ignore[arg-type]  # by name
    result = compile_shader(text, entry=entry, profile=profile, options=given)
    assert result.ok and result.module is not None, [d.message for d in result.diagnostics]
    (found,) = stage_interfaces(result.module, result.interface)
    return StageInterface.of(json.loads(json.dumps(found.plain())))  # as a build record has it


def told(*stages: StageInterface, flags: tuple[str, ...] = (), **options: bool) -> list[str]:
    sink = Sink(WarningOptions.from_flags(flags), error_limit=0)
    for problem in check_pipeline(stages, **options):
        problem.report(sink)
    lines = []
    for diagnostic in sink.diagnostics:
        for d in diagnostic.flatten():
            at = f"{d.location.line}:{d.location.col}: " if d.location else ""
            lines.append(f"{at}{d.severity}: {d.message}" + (f" ({d.hint})" if d.hint else ""))
    return lines


VERTEX = """
struct V { float4 p : SV_Position; %s };
V main(float4 p : POSITION) { V v = (V)0; v.p = p; return v; }
"""
PIXEL = """
float4 main(float4 p : SV_Position, %s) : SV_Target { return %s; }
"""


def pair(written: str, read: str, used: str, **options: bool) -> list[str]:
    return told(interface(VERTEX % written, "vs_6_2"), interface(PIXEL % (read, used), "ps_6_2"), **options)


def test_matching_stages_give_no_message() -> None:
    assert (
        pair(
            "float2 uv : TEXCOORD0; nointerpolation float3 c : COLOR;",
            "float2 uv : TEXCOORD, nointerpolation float3 c : color0",
            "uv.xyxy * c.xyzz",
        )
        == []
    )


def test_an_input_that_no_stage_writes_is_an_error() -> None:
    assert pair("float2 uv : TEXCOORD0;", "float2 uv : TEXCOORD0, float4 c : COLOR", "uv.xyxy * c") == [
        "2:67: error: the pixel stage reads 'COLOR' (float4) at location 1, which the vertex stage `main` does not"
        " write (it writes 0: TEXCOORD0)"
    ]


def test_an_input_that_is_not_used_is_not_read() -> None:
    assert pair("float2 uv : TEXCOORD0;", "float2 uv : TEXCOORD0, float4 c : COLOR", "uv.xyxy") == []


def test_another_order_of_members() -> None:
    """Stages that declare the same semantics in another order get a warning at each location.

    DirectX links stages by semantic, Vulkan by location.
    """
    lines = pair("float4 a : ONE; float4 b : TWO;", "float4 b : TWO, float4 a : ONE", "a * b")
    assert lines == [
        "2:44: warning: location 0 is 'TWO' in the pixel stage, but 'ONE' in the vertex stage",
        "2:43: note: 'ONE' (float4) of the vertex stage is declared here",
        "2:60: warning: location 1 is 'ONE' in the pixel stage, but 'TWO' in the vertex stage",
        "2:59: note: 'TWO' (float4) of the vertex stage is declared here",
    ]


def test_a_semantic_at_another_location() -> None:
    lines = pair("[[vk::location(3)]] float4 a : ONE;", "[[vk::location(2)]] float4 a : ONE", "a")
    assert lines == [
        "2:64: error: the pixel stage reads 'ONE' (float4) at location 2, which the vertex stage `main` does not write"
        " ('ONE' is written at location 3)",
        "2:63: note: 'ONE' (float4) of the vertex stage is declared here",
    ]


@pytest.mark.parametrize(
    ("written", "read", "used", "message"),
    [
        ("uint a : A;", "int a : A", "a", "reads 'A' (int) at location 0, where the vertex stage writes 'A' (uint)"),
        ("float2 a : A;", "float3 a : A", "a.xyzz", "reads 'A' (float3) at location 0, where the vertex stage writes"
         " 'A' (float2)"),
        ("float4 a[2] : A;", "float4 a[3] : A", "a[2] + a[0] + a[1]", "reads 'A' (float4[3]) at location 0, where"
         " the vertex stage writes 'A' (float4[2])"),
        ("nointerpolation double a : A;", "nointerpolation float2 a : A", "a.xyxy", "reads 'A' (float2) at location 0,"
         " where the vertex stage writes 'A' (float64_t)"),
        ("float4 b[2] : B;", "[[vk::location(1)]] float4 a : B", "a", "reads 'B' (float4) at location 1, where the"
         " vertex stage writes 'B' (float4[2]) from location 0, component 0 on"),
    ],
)  # fmt: skip
def test_types(written: str, read: str, used: str, message: str) -> None:
    assert message in pair(written, read, used)[0]
    assert "error:" in pair(written, read, used)[0]


def test_fewer_components() -> None:
    lines = pair("float4 a : A;", "float2 a : A", "a.xyxy")
    assert lines[0].endswith(
        "warning: the pixel stage reads 'A' (float2) at location 0, fewer components than the vertex stage writes"
        " ('A' (float4))"
    )
    assert pair("float4 a : A;", "float2 a : A", "a.xyxy", widths_may_differ=True) == []


def test_interpolation() -> None:
    lines = pair("nointerpolation float4 a : A;", "float4 a : A", "a")
    assert lines[0].endswith(
        "warning: 'A' (float4) is linear in the pixel stage, but nointerpolation in the vertex stage"
    )


def test_unread_outputs_are_reported_on_request() -> None:
    stages = (
        interface(VERTEX % "float4 a : A; float4 b : B;", "vs_6_0"),
        interface(PIXEL % ("float4 a : A", "a"), "ps_6_0"),
    )
    assert told(*stages) == []
    assert told(*stages, flags=("-Wstage-output-unused",)) == [
        "2:57: warning: the vertex stage writes 'B' (float4) at location 1, which the pixel stage `main` does not read"
    ]
    refused = told(*stages, flags=("-Wstage-output-unused", "-WX"))
    assert "error:" in refused[0]


def test_errors_can_be_warnings_or_nothing() -> None:
    stages = interface(VERTEX % "", "vs_6_0"), interface(PIXEL % ("float4 a : A", "a"), "ps_6_0")
    assert "error:" in told(*stages)[0]
    assert "warning:" in told(*stages, flags=("-Wno-error=stage-input-missing",))[0]
    assert told(*stages, flags=("-Wno-stage-input-missing",)) == []


def test_clip_distances() -> None:
    lines = pair("float2 c : SV_ClipDistance;", "float4 c : SV_ClipDistance", "c")
    assert lines == [
        "error: the pixel stage reads ClipDistance[4], which the vertex stage `main` does not write"
        " (it writes 2 of them)"
    ]
    assert pair("float2 c : SV_ClipDistance;", "float2 c : SV_ClipDistance", "c.xyxy") == []


HULL = """
struct C { float3 p : POSITION; float w : WEIGHT; };
struct P { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; float4 tint : TINT; };
P patch(InputPatch<C, 3> c) { P o = (P)1; return o; }
[domain("tri")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)]
[patchconstantfunc("patch")]
C main(InputPatch<C, 3> c, uint i : SV_OutputControlPointID) { return c[i]; }
"""
DOMAIN = """
struct C { float3 p : POSITION; %s };
struct P { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; float4 tint : TINT; };
struct O { float4 p : SV_Position; float4 tint : TINT; };
[domain("tri")]
O main(P k, float3 at : SV_DomainLocation, const OutputPatch<C, %d> c)
{
    O o;
    o.p = float4(c[0].p * at.x + c[1].p, 1) %s;
    o.tint = k.tint;
    return o;
}
"""
CONTROL = """
struct C { float3 p : POSITION; float w : WEIGHT; };
C main(float3 p : POSITION) { C c; c.p = p; c.w = 1; return c; }
"""


def test_a_tessellated_pipeline_fits() -> None:
    stages = [
        interface(CONTROL, "vs_6_0"),
        interface(HULL, "hs_6_0"),
        interface(DOMAIN % ("float w : WEIGHT;", 3, "* c[0].w"), "ds_6_0"),
        interface(PIXEL % ("float4 t : TINT", "t"), "ps_6_0"),
    ]
    assert told(*stages) == []
    assert told(*reversed(stages)) == [], "their order does not matter"


def test_control_points() -> None:
    """A domain shader with another number of control points than its hull shader is an error (HLSL0888)."""
    lines = told(interface(HULL, "hs_6_0"), interface(DOMAIN % ("float w : WEIGHT;", 4, "* c[0].w"), "ds_6_0"))
    assert "error: the domain stage is for 4 control points, but the hull stage `main` for 3" in lines[0]


def test_a_control_point_lacks_a_member() -> None:
    lines = told(
        interface(HULL, "hs_6_0"), interface(DOMAIN % ("float w : WEIGHT; float x : X;", 3, "* c[0].x"), "ds_6_0")
    )
    assert any("the domain stage reads" in line and "error:" in line for line in lines)


GEOMETRY = """
struct I { float4 p : SV_Position; float4 c : COLOR; };
struct O { float4 p : SV_Position; float2 uv : UV; };
[maxvertexcount(1)] void main(point I i[1], inout PointStream<O> s)
{ O o; o.p = i[0].p; o.uv = i[0].c.xy; s.Append(o); }
"""


def test_a_geometry_stage_between() -> None:
    vertex = interface(VERTEX % "float4 c : COLOR;", "vs_6_0")
    geometry = interface(GEOMETRY, "gs_6_0")
    assert told(vertex, geometry, interface(PIXEL % ("float2 uv : UV", "uv.xyxy"), "ps_6_0")) == []
    lines = told(vertex, geometry, interface(PIXEL % ("float4 c : COLOR", "c"), "ps_6_0"))
    assert "where the geometry stage writes 'UV' (float2)" in lines[0]
    primitive = told(geometry, interface(PIXEL % ("uint n : SV_PrimitiveID", "n"), "ps_6_0"))
    assert primitive == ["error: the pixel stage reads PrimitiveId, which the geometry stage `main` does not write"]


MESH = """
struct V { float4 p : SV_Position; float2 uv : UV; };
struct Q { float4 c : COLOR; };
[outputtopology("triangle")] [numthreads(1, 1, 1)]
void main(out indices uint3 t[1], out vertices V v[3], out primitives Q q[1])
{
    SetMeshOutputCounts(3, 1);
    t[0] = uint3(0, 1, 2);
    v[0].p = 0; v[0].uv = 1;
    q[0].c = 1;
}
"""


def test_a_mesh_stage() -> None:
    """An output per primitive of a mesh shader does not fit an input per vertex of a pixel shader (HLSL0887)."""
    mesh = interface(MESH, "ms_6_5")
    assert told(mesh, interface(PIXEL % ("float2 uv : UV", "uv.xyxy"), "ps_6_0")) == []
    lines = told(mesh, interface(PIXEL % ("float2 uv : UV, nointerpolation float4 c : COLOR", "c"), "ps_6_0"))
    assert (
        "error: 'COLOR' (float4) at location 1 is of the whole primitive in the mesh stage, but not in the pixel stage"
    ) in lines[0]


def test_bindings_of_both_stages() -> None:
    vertex = "Texture2D heights : register(t0); float4 main() : SV_Position { return heights.Load(0); }"
    other = "Texture2D colours : register(t0); float4 main() : SV_Target { return colours.Load(0); }"
    same = "Texture2D heights : register(t0); float4 main() : SV_Target { return heights.Load(0); }"
    buffer = "Buffer<float4> heights : register(t0); float4 main() : SV_Target { return heights[0]; }"
    stage = interface(vertex, "vs_6_0")
    assert told(stage, interface(same, "ps_6_0")) == []
    assert told(stage, interface(other, "ps_6_0")) == [
        "1:11: warning: binding 0 of set 0 is 'colours' (sampled image) in the pixel stage and 'heights'"
        " (sampled image) in the vertex stage",
        "1:11: note: 'heights' of the vertex stage is declared here",
    ]
    assert "'heights' (uniform texel buffer) in the pixel stage" in told(stage, interface(buffer, "ps_6_0"))[0]


def test_bindings_of_stages_that_are_no_neighbours() -> None:
    block = "cbuffer B : register(b0) { float4 b; }"
    vertex = interface(block + VERTEX.replace("= p;", "= p * b;") % "float4 c : COLOR;", "vs_6_0")
    geometry = interface(GEOMETRY, "gs_6_0")
    colours = "Texture2D colours : register(t0);"
    pixel = interface(colours + PIXEL % ("float2 uv : UV", "colours.Load(int3(uv, 0))"), "ps_6_0")
    lines = told(vertex, geometry, pixel)
    assert [line for line in lines if "note" not in line] == [
        "1:11: warning: binding 0 of set 0 is 'colours' (sampled image) in the pixel stage and 'B' (uniform buffer) in"
        " the vertex stage"
    ]
    # A mismatch is reported for one pair of stages only, and one of several entry points has to fit.
    (problem,) = check_sharing(pixel, [[[vertex]], [[vertex]]])
    assert check_sharing(pixel, [[[vertex]]], [problem]) == []
    assert check_sharing(pixel, [[[vertex], [interface(VERTEX % "", "vs_6_0")]]]) == []


def test_bindings_of_amplification_and_mesh_stages() -> None:
    amplification = interface(
        "struct P { uint n; }; groupshared P p; StructuredBuffer<uint> counts : register(t0);"
        "[numthreads(1, 1, 1)] void main() { p.n = counts[0]; DispatchMesh(p.n, 1, 1, p); }",
        "as_6_5",
    )
    mesh = interface("Buffer<uint> sizes : register(t0);" + MESH.replace("uv = 1", "uv = sizes[0]"), "ms_6_5")
    (warning, _) = told(amplification, mesh)
    assert "'sizes' (uniform texel buffer) in the mesh stage and 'counts' (storage buffer) in the ampl" in warning


def test_blocks_of_both_stages() -> None:
    vertex = "cbuffer B : register(b0) { float4 a; float4 b; } float4 main() : SV_Position { return a; }"
    fits = "cbuffer B : register(b0) { float4 a; float4 b; } float4 main() : SV_Target { return b; }"
    other = "cbuffer B : register(b0) { float4 x; float4 a; } float4 main() : SV_Target { return a; }"
    stage = interface(vertex, "vs_6_0")
    assert told(stage, interface(fits, "ps_6_0")) == [], "each has only the members that it uses"
    assert told(stage, interface(other, "ps_6_0"))[0].endswith(
        "warning: 'B' at binding 0 of set 0 has other members in the pixel stage than in the vertex stage"
    )


def test_one_of_several_must_fit() -> None:
    pixel = interface(PIXEL % ("float4 a : A", "a"), "ps_6_0")
    good, bad = interface(VERTEX % "float4 a : A;", "vs_6_0"), interface(VERTEX % "", "vs_6_0")
    assert check_alternatives(pixel, [[bad], [good]]) == []
    assert [p.code.name for p in check_alternatives(pixel, [[bad], [good, bad]])] == ["stage-input-missing"]
    assert check_alternatives(pixel, []) == []


@pytest.mark.parametrize(
    ("stage", "present", "wanted"),
    [
        ("pixel", {"vertex"}, "vertex"),
        ("pixel", {"vertex", "geometry"}, "geometry"),
        ("pixel", {"mesh"}, "mesh"),
        ("pixel", {"amplification", "mesh"}, "mesh"),
        ("domain", {"vertex", "hull"}, "hull"),
        ("hull", {"domain"}, ""),
        ("vertex", {"pixel"}, ""),
        ("pixel", set(), ""),
        ("compute", {"vertex"}, ""),
    ],
)
def test_order(stage: str, present: set[str], wanted: str) -> None:
    assert before(stage, present) == wanted


def test_earlier_stages() -> None:
    assert earlier("pixel", {"vertex", "hull", "domain", "pixel"}) == ["domain", "hull", "vertex"]
    assert earlier("pixel", {"amplification", "mesh", "pixel"}) == ["mesh", "amplification"]
    assert earlier("mesh", {"amplification", "mesh", "vertex"}) == ["amplification"]
    assert earlier("vertex", {"vertex", "pixel"}) == [] == earlier("compute", {"vertex"})


@pytest.mark.parametrize(
    ("slot", "cells"),
    [
        (Slot("a", 2, width=3), {(2, 0), (2, 1), (2, 2)}),
        (Slot("a", 1, component=2, width=2), {(1, 2), (1, 3)}),
        (Slot("a", 0, width=1, dims=[2]), {(0, 0), (1, 0)}),
        (Slot("a", 0, bits=64, width=3), {(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1)}),
    ],
)
def test_cells(slot: Slot, cells: set[tuple[int, int]]) -> None:
    assert slot.cells() == cells


# ------------------------------------------------------------------------------------------------- modules as they are


def test_packed_signatures() -> None:
    text = VERTEX % "float2 a : A; float2 b : B;"
    pixel = PIXEL % ("float2 a : A, float2 b : B", "float4(a, b)")
    modules = [
        module(text, "vs_6_0", signature_packing="optimized"),
        module(pixel, "ps_6_0", signature_packing="optimized"),
    ]
    assert check_stages(modules) == []
    mixed = check_stages([modules[0], module(pixel, "ps_6_0")])
    assert [d.code.name for d in mixed] == ["stage-input-missing"]


def test_modules_without_source() -> None:
    """Messages about modules without the compiler's interface record name semantics, from the names of variables."""
    found = check_stages(
        [module(VERTEX % "float4 a : ONE;", "vs_6_0"), module(PIXEL % ("float4 a : TWO", "a"), "ps_6_0")]
    )
    assert [d.message for d in found] == ["location 0 is 'TWO' in the pixel stage, but 'ONE' in the vertex stage"]


def test_no_pipeline() -> None:
    vertex = module(VERTEX % "", "vs_6_0")
    with pytest.raises(StageError, match="two vertex stages"):
        check_stages([vertex, vertex])
    with pytest.raises(StageError, match="no two stages that follow"):
        check_stages([vertex])


def test_command_line(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    vertex, pixel, words = (str(tmp_path / name) for name in ("v.spv", "p.spv", "words.txt"))
    pathlib.Path(vertex).write_bytes(module(VERTEX % "float4 a : ONE;", "vs_6_0"))
    pathlib.Path(pixel).write_bytes(module(PIXEL % ("float4 a : ONE, float4 b : TWO", "a + b"), "ps_6_0"))
    pathlib.Path(words).write_text("no module")
    assert run(["reflect", "link", vertex, pixel]) == 1
    assert "at location 1, which the vertex stage `main` does not write" in capsys.readouterr().err
    assert run(["reflect", "link", vertex, pixel, "-W", "no-stage-input-missing"]) == 0
    assert capsys.readouterr().err == ""
    for wrong, text in (
        ([vertex], "no two stages"),
        ([vertex, words], "words.txt` is no SPIR-V module: "),
        ([vertex, "nowhere.spv"], "cannot read `nowhere.spv`"),
    ):
        assert run(["reflect", "link", *wrong]) == 2
        assert text in capsys.readouterr().err


def test_damaged_modules(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever a file contains, the result is a message and an exit status."""
    vertex = tmp_path / "v.spv"
    vertex.write_bytes(module(VERTEX % "float4 a : ONE;", "vs_6_0"))
    good = module(PIXEL % ("float4 a : ONE", "a"), "ps_6_0")
    dice = random.Random(7)
    for _ in range(200):
        words = bytearray(good)
        for _ in range(dice.randint(1, 3)):
            at = dice.randrange(len(words))
            words[at] = dice.choice((0, 1, 255, words[at] ^ 1 << dice.randrange(8)))
        path = tmp_path / "p.spv"
        path.write_bytes(words)
        assert run(["reflect", "link", str(vertex), str(path)]) in (0, 1, 2)
        assert "Traceback" not in capsys.readouterr().err
