"""The outputs `vulkan_pipelines` and `vulkan_pipelines_cpp`: tables of all pipelines of a project."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hlsl_tool.cli.__main__ import run
from hlsl_tool.reflection.load_json import from_json
from hlsl_tool.reflection.pipeline import pipeline_of, tables_json
from tests.build.conftest import Project

CONFIGURATION = """outputs: [spv, vulkan_pipelines, vulkan_pipelines_cpp]
target_env: vulkan1.3
pipelines:
  - { name: scene, stages: [lit.VSMain, post.PSMain] }
shaders:
  - source: lit.hlsl
    defines: { SKINNED: [0, 1] }
    entries:
      - { entry: VSMain, profile: vs_6_0 }
      - { entry: PSMain, profile: ps_6_0, defines: { FOG: [0, 1] } }
  - source: post.hlsl
    entries: [{ entry: PSMain, profile: ps_6_0 }]
  - source: blur.hlsl
    entries: [{ entry: CSMain, profile: cs_6_0 }]
  - source: rays.hlsl
    name: rays
    profile: lib_6_3
"""
LIT = """
cbuffer Frame : register(b0) { float4x4 view; float4 tint; };
cbuffer Bones : register(b1) { float4x4 bones[4]; };
Texture2D<float4> albedo : register(t0, space2);
float4 VSMain(float4 p : POSITION) : SV_Position
{
#if SKINNED
    p = mul(bones[1], p);
#endif
    return mul(view, p);
}
float4 PSMain(float4 p : SV_Position) : SV_Target
{
#if FOG
    p *= 2;
#endif
    return albedo[uint2(p.xy)] * tint;
}
"""
POST = "float4 PSMain(float4 p : SV_Position) : SV_Target { return p; }\n"
BLUR = """
RWStructuredBuffer<float> o : register(u3);
[numthreads(8, 1, 1)] void CSMain(uint i : SV_DispatchThreadID) { o[i] *= 2; }
"""
RAYS = """
struct P { float4 c; };
RWStructuredBuffer<float> o : register(u1);
[shader("raygeneration")] void Gen() { o[0] = 1; }
[shader("miss")] void Miss(inout P p) { p.c = 0; }
[shader("compute")] [numthreads(1, 1, 1)] void Clear() { o[0] = 0; }
"""
FILES = {
    "config/shaders/a.yaml": CONFIGURATION,
    "shaders/lit.hlsl": LIT,
    "shaders/post.hlsl": POST,
    "shaders/blur.hlsl": BLUR,
    "shaders/rays.hlsl": RAYS,
}
TABLES = ("build/shaders/vulkan.json", "build/shaders/vulkan_pipelines.hpp")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    real = Project(tmp_path, fake=False)
    for name, text in FILES.items():
        real.write(name, text)
    monkeypatch.chdir(tmp_path)
    return real


def build() -> int:
    return run(["build", "--store", "none", "--no-server"])


def pipelines(project: Project) -> dict[str, dict[str, Any]]:
    content = json.loads((project.root / TABLES[0]).read_text())
    assert content["format"] == 1
    return {one["name"]: one for one in content["pipelines"]}


def times(project: Project) -> list[int]:
    return [os.stat(project.root / name).st_mtime_ns for name in TABLES]


def test_pipelines_are_the_permutations_that_agree(project: Project) -> None:
    assert build() == 0
    tables = pipelines(project)
    assert {name: [stage["shader"] for stage in one["stages"]] for name, one in tables.items()} == {
        **{f"scene.SKINNED={s}": [f"lit.VSMain.SKINNED={s}", "post.PSMain"] for s in (0, 1)},
        **{
            f"lit.SKINNED={s}.FOG={f}": [f"lit.VSMain.SKINNED={s}", f"lit.PSMain.SKINNED={s}.FOG={f}"]
            for s in (0, 1)
            for f in (0, 1)
        },
        "blur.CSMain": ["blur.CSMain"],
        "rays.Gen+Miss": ["rays", "rays"],
        "rays.Clear": ["rays"],
    }
    frame, bones = tables["lit.SKINNED=1.FOG=0"]["set_layouts"][0]["bindings"]
    assert frame["stages"] == ["VK_SHADER_STAGE_VERTEX_BIT", "VK_SHADER_STAGE_FRAGMENT_BIT"]
    assert (bones["name"], bones["stages"]) == ("Bones", ["VK_SHADER_STAGE_VERTEX_BIT"])
    header = (project.root / TABLES[1]).read_text()
    assert "namespace vulkan_pipelines {" in header
    assert "namespace lit_SKINNED_0_FOG_1 = lit_SKINNED_0_FOG_0;" in header
    assert "namespace lit_SKINNED_1_FOG_0 {" in header


def test_files_are_written_only_when_tables_change(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    assert build() == 0
    before = times(project)
    capsys.readouterr()
    assert build() == 0
    assert "0 built, 9 up to date" in capsys.readouterr().out
    assert times(project) == before
    project.write("shaders/post.hlsl", POST.replace("return p", "return p * 2"))
    assert build() == 0
    assert times(project) == before  # another shader, the same tables
    project.write("shaders/blur.hlsl", BLUR.replace("u3", "u4"))
    assert build() == 0
    assert all(now > then for now, then in zip(times(project), before, strict=True))
    assert pipelines(project)["blur.CSMain"]["set_layouts"][0]["bindings"][0]["binding"] == 4
    for name in TABLES:
        (project.root / name).unlink()
    assert build() == 0
    assert pipelines(project)
    project.write("config/shaders/a.yaml", CONFIGURATION.replace("name: scene", "name: final"))
    assert build() == 0
    assert "final.SKINNED=0" in pipelines(project)


def test_an_output_that_goes_leaves_no_file(project: Project) -> None:
    assert build() == 0
    project.write("config/shaders/a.yaml", CONFIGURATION.replace(", vulkan_pipelines_cpp", ""))
    assert run(["build", "--store", "none", "--no-server", "--prune"]) == 0
    assert not (project.root / TABLES[1]).exists()
    assert (project.root / TABLES[0]).exists()


def test_scons_builds_and_cleans_them(project: Project) -> None:
    assert build() == 0
    expected = [(project.root / name).read_bytes() for name in TABLES]
    shutil.rmtree(project.root / "build")
    done = project.scons()
    assert done.status == 0, done.out + done.err
    assert [(project.root / name).read_bytes() for name in TABLES] == expected
    before = times(project)
    assert project.scons().summary == "shaders: 0 built, 9 up to date, 0 failed"
    assert times(project) == before
    (project.root / TABLES[0]).unlink()
    assert project.scons(TABLES[0]).status == 0
    assert (project.root / TABLES[0]).read_bytes() == expected[0]
    assert project.scons("-c").status == 0
    assert not [name for name in TABLES if (project.root / name).exists()]


@pytest.mark.skipif(not shutil.which("make"), reason="no make on PATH")
def test_a_generated_makefile_builds_them(project: Project) -> None:
    done = project.tool("generate", "make", "-o", "shaders.mk")
    assert done.status == 0, done.err
    made = subprocess.run(
        ["make", "-s", "-f", "shaders.mk"],
        cwd=project.root,
        env=project.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    assert "scene.SKINNED=1" in pipelines(project)


def test_a_stage_without_the_output_is_named(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    entry = "entries: [{ entry: PSMain, profile: ps_6_0, outputs: [spv] }]\n  - source: blur"
    text = CONFIGURATION.replace("entries: [{ entry: PSMain, profile: ps_6_0 }]\n  - source: blur", entry)
    project.write("config/shaders/a.yaml", text)
    assert build() == 2
    out = capsys.readouterr()
    assert "pipeline `scene`: `post.PSMain` does not list this output" in out.out + out.err


def test_stages_that_disagree_are_an_error(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    text = "SamplerState s : register(s0); Texture2D t; "
    text += "float4 PSMain(float4 p : SV_Position) : SV_Target { return t.Sample(s, p.xy); }"
    project.write("shaders/post.hlsl", text.replace("Texture2D t", "Texture2D t : register(t1)"))
    project.write("config/shaders/a.yaml", CONFIGURATION.replace("shaders:\n", "link: false\nshaders:\n", 1))
    assert build() == 2
    out = capsys.readouterr()
    assert "binding 0 of set 0 is VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER (`Frame`)" in out.out + out.err


@pytest.mark.parametrize(
    "files",
    [
        "{ vulkan_pipelines: x.txt, vulkan_pipelines_cpp: x.txt }",
        "{ vulkan_pipelines: lit.link }",
        "{ vulkan_pipelines: manifest.json }",
        "{ vulkan_pipelines_cpp: blur.CSMain.spv }",
    ],
)
def test_a_file_of_something_else_is_refused(project: Project, files: str, capsys: pytest.CaptureFixture[str]) -> None:
    project.write("config/shaders/a.yaml", CONFIGURATION.replace("shaders:\n", f"files: {files}\nshaders:\n", 1))
    assert build() == 2
    out = capsys.readouterr()
    name = files.partition(": ")[2].split(",")[0].strip(" }")
    assert f"`{name}` " in out.err and ("[CFG1774]" in out.err or "[CFG894]" in out.err), out.err


def test_tables_of_one_pipeline_are_those_of_the_command_line(project: Project) -> None:
    assert build() == 0
    data = (project.root / "build/shaders/blur.CSMain.json").read_bytes()
    one = pipelines(project)["blur.CSMain"]
    del one["name"]
    assert json.loads(tables_json(pipeline_of([from_json(data)], ["blur.CSMain"]))) == {"format": 1, **one}
