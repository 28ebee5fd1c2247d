"""Entry points and stages are found by attributes, signatures, and the names of functions and files."""

from __future__ import annotations

from pathlib import Path

import pytest

from hlsl_tool.project.discovery.discover import find_shaders, read_files
from hlsl_tool.project.discovery.names import stage_of_suffix, stage_of_words
from hlsl_tool.project.discovery.reading.folder import read_folder

STRUCTS = """\
struct Input { float3 position : POSITION; float2 uv : TEXCOORD0; };
struct Varyings { float4 position : SV_Position; float2 uv : TEXCOORD0; };
"""

VERTEX = "Varyings {}(Input v) {{ Varyings o; o.position = float4(v.position, 1); o.uv = v.uv; return o; }}\n"
PIXEL = "float4 {}(Varyings v) : SV_Target {{ return v.uv.xyxy; }}\n"

Found = set[tuple[str, str, str]]


def found(folder: Path, files: dict[str, str]) -> Found:
    """Return (source, entry point, stage) of the shaders in a folder with these files."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    discovery = read_files(read_folder(str(folder)))
    find_shaders(discovery)
    return {(guess.source, guess.entry.name, guess.entry.stage) for guess in discovery.guesses}


@pytest.mark.parametrize(
    ("text", "name", "stage"),
    [
        ("[numthreads(8, 8, 1)] void Blur(uint3 id : SV_DispatchThreadID) {}", "Blur", "cs"),
        ('[shader("pixel")] float4 Odd() : SV_Target { return 0; }', "Odd", "ps"),
        ('[shader("raygeneration")] void Rays() {}', "", "lib"),
        ("[maxvertexcount(3)] void Grow(point float4 p[1] : P, inout PointStream<float4> s) {}", "Grow", "gs"),
        ("#define G [numthreads(1, 1, 1)]\nG void Hidden() {}", "Hidden", "cs"),
        ("float4 Sky() : SV_Target0 { return 0; }", "Sky", "ps"),
        ("void Sky(out float4 a : SV_Target0, out float d : SV_Depth) { a = 0; d = 0; }", "Sky", "ps"),
        ("float4 Quad(uint id : SV_VertexID) : SV_Position { return id; }", "Quad", "vs"),
        ("void VSMain(float4 p : POSITION, out float4 q : TEXCOORD) { q = p; }", "VSMain", "vs"),
        ("float4 psMain(float4 p : TEXCOORD) : COLOR { return p; }", "psMain", "ps"),
        ("typedef float4 T; struct S { T c : SV_Target1; }; S f() { S s; s.c = 0; return s; }", "f", "ps"),
        ("struct B { float4 p : SV_Position; }; struct D : B { float2 t : T; }; D f() { return (D)0; }", "f", "vs"),
    ],
)
def test_evidence_in_a_function(text: str, name: str, stage: str, tmp_path: Path) -> None:
    assert found(tmp_path, {"x.hlsl": text}) == {("x.hlsl", name, stage)}


def test_stages_of_tessellation(tmp_path: Path) -> None:
    text = """\
struct P { float3 p : POSITION; };
struct F { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; };
F Factors(InputPatch<P, 3> p) { return (F)0; }
[domain("tri")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)]
[patchconstantfunc("Factors")]
P Control(InputPatch<P, 3> p, uint i : SV_OutputControlPointID) { return p[i]; }
[domain("tri")]
float4 Place(F f, float3 uvw : SV_DomainLocation, const OutputPatch<P, 3> p) : SV_Position { return p[0].p.xyzx; }
"""
    assert found(tmp_path, {"t.hlsl": text}) == {("t.hlsl", "Control", "hs"), ("t.hlsl", "Place", "ds")}


def test_mesh_and_amplification(tmp_path: Path) -> None:
    text = """\
struct V { float4 p : SV_Position; };
struct Load { uint n; };
groupshared Load load;
[numthreads(1, 1, 1)] void Amplify() { DispatchMesh(1, 1, 1, load); }
[outputtopology("triangle")] [numthreads(3, 1, 1)]
void Mesh(out vertices V v[3], out indices uint3 t[1]) { SetMeshOutputCounts(3, 1); }
"""
    assert found(tmp_path, {"m.hlsl": text}) == {("m.hlsl", "Amplify", "as"), ("m.hlsl", "Mesh", "ms")}


@pytest.mark.parametrize(
    ("file", "stage"),
    [
        ("x.vert", "vs"),
        ("x.frag", "ps"),
        ("x.comp", "cs"),
        ("x.vert.hlsl", "vs"),
        ("x.vs.hlsl", "vs"),
        ("x.PS.HLSL", "ps"),
        ("x_ps.hlsl", "ps"),
        ("blurCS.hlsl", "cs"),
        ("objectPS_alpha.hlsl", "ps"),
        ("SpritePixelShader.fx", "ps"),
    ],
)
def test_names_of_files_with_an_entry_point_main(file: str, stage: str, tmp_path: Path) -> None:
    assert found(tmp_path, {file: "void main(float4 a : A, out float4 b : B) { b = a; }"}) == {(file, "main", stage)}


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        ("VSMain", "vs"),
        ("main_vs", "vs"),
        ("VSNPREffect", "vs"),
        ("VertexShaderMain", "vs"),
        ("SpritePixelShader", "ps"),
        ("CSDownsample", "cs"),
        ("has_pattern", ""),
        ("as_float", ""),
        ("MSAAResolve", ""),
        ("main", ""),
    ],
)
def test_words_of_names(name: str, stage: str) -> None:
    assert stage_of_words(name) == stage


def test_dotted_parts_of_names() -> None:
    assert [stage_of_suffix(name) for name in ("a/b.rgen", "b.tesc.hlsl", "c.hlsl", "vert.d/e.hlsl")] == [
        "lib", "hs", "", "",
    ]  # fmt: skip


def test_helpers_are_no_entry_points(tmp_path: Path) -> None:
    text = (
        STRUCTS
        + "Varyings Transform(Input v, float4x4 m) { return (Varyings)0; }\n"
        + "[numthreads(8, 1, 1)] bool Visible(float4 sphere) { return sphere.w > 0; }\n"
        + "float4 Shade(float2 uv) { return uv.xyxy; }\n"
        + "[numthreads(8, 1, 1)] void Cull(uint i : SV_DispatchThreadID) { if (Visible(0)) Shade(0); }\n"
    )
    assert found(tmp_path, {"x.hlsl": text}) == {("x.hlsl", "Cull", "cs")}


def test_files_that_are_only_included(tmp_path: Path) -> None:
    files = {
        "common.hlsl": STRUCTS + "float4 Tint(float4 c) { return c; }\n",
        "object.hlsli": '#include "common.hlsl"\n' + PIXEL.format("main"),
        "objectPS.hlsl": '#include "object.hlsli"\n',
        "objectPS_alpha.hlsl": '#define ALPHA\n#include "object.hlsli"\n',
        "objectPS_alpha_far.hlsl": '#define FAR\n#include "objectPS_alpha.hlsl"\n',
        "vertex.hlsl": '#include "common.hlsl"\n' + VERTEX.format("main"),
    }
    assert found(tmp_path, files) == {
        ("objectPS.hlsl", "main", "ps"),
        ("objectPS_alpha.hlsl", "main", "ps"),
        ("objectPS_alpha_far.hlsl", "main", "ps"),
        ("vertex.hlsl", "main", "vs"),
    }


def test_an_entry_point_in_a_branch(tmp_path: Path) -> None:
    files = {
        "x.hlsl": STRUCTS + "#ifdef VERTEX\n" + VERTEX.format("main") + "#else\n" + PIXEL.format("main") + "#endif\n"
    }
    assert found(tmp_path, files) == {("x.hlsl", "main", "ps"), ("x.hlsl", "main", "vs")}


def test_text_that_does_not_parse(tmp_path: Path) -> None:
    """A file with errors has the entry points that its names give."""
    files = {"x.hlsl": "#include <missing.h>\nMISSING(VSMain) { }\nOut PSMain(In i { }\n", "y.vs.hlsl": "Out main( {{{"}
    assert ("x.hlsl", "PSMain", "ps") in found(tmp_path, files)


def test_other_languages_with_suffixes_of_stages(tmp_path: Path) -> None:
    files = {"App.cs": "class App { static void Main() {} }", "page.ps": "%!PS\nshowpage\n"}
    files["blur.cs"] = "[numthreads(1, 1, 1)] void main() {}"
    assert found(tmp_path, files) == {("blur.cs", "main", "cs")}


def test_macros_of_build_scripts_lead_to_entry_points(tmp_path: Path) -> None:
    files = {
        "hint.hlsli": "#ifdef GPU\n#define HINT\n#endif\n",
        "x.hlsl": '#include "hint.hlsli"\nHINT [numthreads(1, 1, 1)] void Work() {}\n',
    }
    assert found(tmp_path, files) == set()
    assert found(tmp_path, {"build.bat": "tool -DGPU=1 %1\n"}) == {("x.hlsl", "Work", "cs")}


def test_an_entry_point_that_is_called_like_its_file(tmp_path: Path) -> None:
    both = "float4 SkyPS() : SV_Target { return 0; }\nfloat4 SunPS() : SV_Target { return 1; }\n"
    files = {"all.hlsli": both, "SunPS.hlsl": '#include "all.hlsli"\n'}
    assert found(tmp_path, files) == {("SunPS.hlsl", "SunPS", "ps")}


def test_glsl_is_left_out(tmp_path: Path) -> None:
    files = {"a.vert": "#version 450\nvoid main() {}", "b.frag": "void main() { gl_FragColor = vec4(1); }"}
    assert found(tmp_path, files | {"c.frag": "void main() {}"}) == {("c.frag", "main", "ps")}
