"""Every profile in a build with the real compiler: the files that SCons writes, and their entries in the manifest."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.text import disassemble
from tests.build.conftest import Project

pytestmark = pytest.mark.skipif(
    not (shutil.which("spirv-opt") and shutil.which("spirv-val")), reason="spirv-opt and spirv-val are not on PATH"
)

SOURCES = {
    "drawn.hlsl": """
        struct V { float4 at : SV_Position; };
        struct C { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; };
        V VS(float4 p : P) { V v; v.at = p; return v; }
        C constants(InputPatch<V, 3> p) { C c; c.e[0] = c.e[1] = c.e[2] = c.i = 2; return c; }
        [domain("tri")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)]
        [patchconstantfunc("constants")] V HS(InputPatch<V, 3> p, uint i : SV_OutputControlPointID) { return p[i]; }
        [domain("tri")] V DS(C c, float3 at : SV_DomainLocation, const OutputPatch<V, 3> p) { return p[0]; }
        [maxvertexcount(1)] void GS(point V v[1], inout PointStream<V> s) { s.Append(v[0]); }
        float4 PS() : SV_Target { return 1; }
        """,
    "meshlets.hlsl": """
        struct V { float4 at : SV_Position; };
        struct Load { uint x; };
        groupshared Load load;
        [numthreads(1, 1, 1)] void AS() { load.x = 1; DispatchMesh(1, 1, 1, load); }
        [numthreads(1, 1, 1)] [outputtopology("point")]
        void MS(in payload Load l, out vertices V v[1], out indices uint t[1]) {
            SetMeshOutputCounts(1, 1); v[0].at = l.x; t[0] = 0;
        }
        """,
    "rays.hlsl": """
        struct P { float x; };
        RaytracingAccelerationStructure scene;
        RWStructuredBuffer<float> seen;
        [shader("raygeneration")] void start() {
            RayDesc r = { float3(0, 0, 0), 0, float3(0, 0, 1), 9 }; P p; p.x = 0;
            TraceRay(scene, 0, 255, 0, 0, 0, r, p); seen[0] = p.x;
        }
        [shader("miss")] void sky(inout P p) { p.x = 1; }
        [shader("closesthit")] void near(inout P p, BuiltInTriangleIntersectionAttributes a) { p.x = RayTCurrent(); }
        [shader("anyhit")] void each(inout P p, BuiltInTriangleIntersectionAttributes a) { IgnoreHit(); }
        [shader("intersection")] void ball() { P p; p.x = 0; ReportHit(RayTCurrent(), 0, p); }
        [shader("callable")] void call(inout P p) { p.x += 1; }
        [shader("compute")] [numthreads(1, 1, 1)] void fill() { seen[1] = 2; }
        """,
    "graph.hlsl": """
        struct Load { uint3 grid : SV_DispatchGrid; uint x; };
        RWStructuredBuffer<uint> seen;
        [shader("node")] [nodelaunch("broadcasting")] [numthreads(2, 1, 1)] [nodemaxdispatchgrid(4, 1, 1)]
        void node(DispatchNodeInputRecord<Load> load) { seen[0] = load.Get().x; }
        """,
}

CONFIG = """\
outputs: [spv, reflection]
shaders:
  - source: drawn.hlsl
    entries:
      - { entry: VS, profile: vs_6_0 }
      - { entry: HS, profile: hs_6_0 }
      - { entry: DS, profile: ds_6_0 }
      - { entry: GS, profile: gs_6_0 }
      - { entry: PS, profile: ps_6_0 }
  - source: meshlets.hlsl
    entries: [{ entry: AS, profile: as_6_5 }, { entry: MS, profile: ms_6_5 }]
    target_env: vulkan1.3
  - source: meshlets.hlsl
    entries: [{ entry: AS, profile: as_6_5, name: as_nv }, { entry: MS, profile: ms_6_5, name: ms_nv }]
    extensions: [SPV_NV_mesh_shader]
  - source: rays.hlsl
    target_env: vulkan1.2
    entries:
      - { profile: lib_6_3 }
      - { name: only_some, profile: lib_6_3, exports: [start, sky] }
      - { entry: fill, profile: cs_6_3 }
  - source: graph.hlsl
    profile: lib_6_8
    target_env: vulkan1.3
"""

WANTED = {
    "drawn.VS": {"Vertex"},
    "drawn.HS": {"TessellationControl"},
    "drawn.DS": {"TessellationEvaluation"},
    "drawn.GS": {"Geometry"},
    "drawn.PS": {"Fragment"},
    "meshlets.AS": {"TaskEXT"},
    "meshlets.MS": {"MeshEXT"},
    "as_nv": {"TaskNV"},
    "ms_nv": {"MeshNV"},
    "rays.fill": {"GLCompute"},
    "rays.lib": {"RayGeneration", "Miss", "ClosestHit", "AnyHit", "Intersection", "Callable", "GLCompute"},
    "only_some": {"RayGeneration", "Miss"},
    "graph.lib": {"GLCompute"},
}


def models(path: Path) -> set[str]:
    text = disassemble(decode(path.read_bytes()))
    found = [line.split()[1] for line in text.splitlines() if "OpEntryPoint" in line]
    return {name.removesuffix("KHR") for name in found}


def test_every_profile(tmp_path: Path) -> None:
    project = Project(tmp_path, fake=False)
    project.write("config/shaders/all.yaml", CONFIG)
    for name, text in SOURCES.items():
        project.write(f"shaders/{name}", text)
    run = project.scons("-j2")
    assert run.status == 0, run.out + run.err
    manifest = json.loads((project.root / "build/shaders/manifest.json").read_text())
    made = {entry["name"]: entry for entry in manifest["shaders"]}
    found = {name: models(project.root / "build/shaders" / entry["outputs"]["spv"]) for name, entry in made.items()}
    assert found == WANTED
    assert project.scons().summary == f"shaders: 0 built, {len(WANTED)} up to date, 0 failed"
