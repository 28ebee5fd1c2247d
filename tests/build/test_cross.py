"""Outputs by SPIRV-Cross: all roads give the same text, and another SPIRV-Cross builds them anew."""

from __future__ import annotations

import json
import pathlib
import shutil

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.cross import convert
from hlsl_tool.cross.library import locate
from tests.build.conftest import Project

pytestmark = pytest.mark.skipif(locate() is None, reason="SPIRV-Cross is not installed (libspirv-cross-c-shared-dev)")

SHADER = """\
Texture2D albedo : register(t1);
SamplerState linearWrap : register(s0);
cbuffer Material : register(b0) { float4 tint; };
float4 main(float2 uv : UV) : SV_Target { return albedo.Sample(linearWrap, uv) * tint; }
"""
CONFIG = """\
bindings: { shifts: { t: [8, 0], s: [16, 0] } }
msl: { version: 2.1, bindings: spirv }
glsl: { version: 330 }
essl: { version: 300, float_precision: highp }
shaders:
  - source: a.hlsl
    outputs: [spv, reflection, bindings, msl, glsl, essl, hlsl]
    entries: [{ entry: main, profile: ps_6_0 }]
  - source: b.hlsl
    entries: [{ entry: main, profile: ps_6_0 }]
"""
OPTIONS = {
    "msl": {"version": "2.1", "bindings": "spirv"},
    "glsl": {"version": "330"},
    "essl": {"version": "300", "float_precision": "highp"},
    "hlsl": {},
}
FLAGS = {"msl": ["--version", "2.1", "--spirv-bindings"], "glsl": ["--version", "330"],
         "essl": ["--version", "300", "--highp-floats"], "hlsl": []}  # fmt: skip
SUFFIXES = {"msl": "metal", "glsl": "glsl", "essl": "es.glsl", "hlsl": "cross.hlsl"}


@pytest.fixture
def real(tmp_path: pathlib.Path) -> Project:
    project = Project(tmp_path, fake=False)
    project.write("config/shaders/a.yaml", CONFIG)
    project.write("shaders/a.hlsl", SHADER)
    project.write("shaders/b.hlsl", "float4 main() : SV_Target { return 1; }\n")
    return project


def texts(project: Project) -> dict[str, str]:
    return {
        language: (project.root / f"build/shaders/a.main.{suffix}").read_text() for language, suffix in SUFFIXES.items()
    }


def test_all_roads_give_the_same_text(real: Project) -> None:
    shifts = {"shift_t": ((8, 0),), "shift_s": ((16, 0),)}
    result = compile_shader(SHADER, profile="ps_6_0", options=CompileOptions(**shifts))
    want = {language: convert(result.spirv, language, options) for language, options in OPTIONS.items()}
    assert real.tool("build").status == 0
    assert texts(real) == want
    for language, flags in FLAGS.items():
        run = real.tool("cross", language, "build/shaders/a.main.spv", *flags)
        assert (run.status, run.out) == (0, want[language])
    shutil.rmtree(real.root / "build")
    assert real.scons("shaders").status == 0
    assert texts(real) == want


def test_reflection_has_the_places_of_metal(real: Project) -> None:
    real.write("config/shaders/a.yaml", CONFIG.replace(", bindings: spirv", ""))
    assert real.tool("build").status == 0
    reflection = json.loads((real.root / "build/shaders/a.main.json").read_text())
    table = json.loads((real.root / "build/shaders/a.main.bindings.json").read_text())
    want = {"Material": {"buffer": 0}, "albedo": {"texture": 0}, "linearWrap": {"sampler": 0}}
    assert {r["name"]: r["msl"] for r in reflection["resources"]} == want
    assert {r["resource"]: r["msl"] for r in table["shaders"][0]["bindings"]} == want
    plain = json.loads((real.root / "build/shaders/b.main.json").read_text())
    assert "msl" not in json.dumps(plain)


def test_another_library_builds_its_outputs_anew(
    real: Project, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = locate()
    assert library is not None
    assert real.tool("build").summary == "shaders: 2 built, 0 up to date, 0 failed"
    other = tmp_path / "other" / pathlib.Path(library).name
    other.parent.mkdir()
    shutil.copy(library, other)
    monkeypatch.setenv("SPIRV_CROSS", str(other))
    assert real.tool("build").summary == "shaders: 0 built, 2 up to date, 0 failed"
    with other.open("ab") as stream:
        stream.write(b"\0")
    why = real.tool("why", "a.main", "b.main").out
    assert "a.main: out of date\n  spirv-cross: another version (" in why
    assert "b.main: up to date" in why
    assert real.tool("build").summary == "shaders: 1 built, 1 up to date, 0 failed"


def test_a_missing_library_is_an_error(real: Project, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPIRV_CROSS", str(tmp_path))
    for run in (real.tool("build"), real.scons("shaders")):
        assert run.status != 0
        assert (
            "error: `msl, glsl, essl, hlsl` cannot be written for `a.main`: SPIRV-Cross was not found; SPIRV_CROSS is"
            f" `{tmp_path}`, which is neither the library nor its folder [HLSL1970]" in run.out + run.err
        )
    monkeypatch.delenv("SPIRV_CROSS")
    assert real.tool("build").summary == "shaders: 1 built, 1 up to date, 0 failed"


def test_a_shader_that_a_language_lacks_is_an_error(real: Project) -> None:
    real.write("shaders/a.hlsl", SHADER.replace("return", "return WaveActiveSum(uv.x) +"))
    real.write("config/shaders/a.yaml", "target_env: vulkan1.1\n" + CONFIG)
    run = real.tool("build")
    assert run.status == 2
    assert "`glsl` cannot be written for `a.main`: " in run.err
    assert "[HLSL0905]" in run.err
    assert not (real.root / "build/shaders/a.main.metal").exists()
