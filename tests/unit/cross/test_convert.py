"""Conversions by the real SPIRV-Cross: texts, options, places of resources, errors."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.options.cross import CROSS, CROSS_FIELDS
from hlsl_tool.cli.__main__ import run
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.cross import CrossError, CrossMissing, convert, convert_all, library, slots_json
from hlsl_tool.cross.convert import _SETTINGS
from hlsl_tool.cross.library import locate, signature

from .shader import compiled

needs_cross = pytest.mark.skipif(locate() is None, reason="SPIRV-Cross is not installed (libspirv-cross-c-shared-dev)")
needs_program = pytest.mark.skipif(
    shutil.which("spirv-cross") is None, reason="the program spirv-cross is not installed"
)
needs_glslang = pytest.mark.skipif(shutil.which("glslangValidator") is None, reason="glslang is not installed")


def text_of(language: str, entry: str = "PSMain", profile: str = "ps_6_0", **options: Any) -> str:
    return convert(compiled(entry, profile), language, options)


# ---------------------------------------------------------------- tables


def test_every_option_is_a_field_and_a_setting() -> None:
    defaults = CompileOptions()
    for field, option in CROSS_FIELDS.items():
        assert getattr(defaults, field) == option.default
        assert (field in _SETTINGS) != field.endswith("sampler_bindings")
    assert _SETTINGS.keys() <= CROSS_FIELDS.keys()


@pytest.mark.parametrize("field", CROSS_FIELDS)
def test_every_value_has_a_setting(field: str) -> None:
    if field in _SETTINGS:
        values = [_SETTINGS[field][1](value) for value in CROSS_FIELDS[field].values]
        assert all(type(value) in (int, bool) for value in values)
        assert len(set(values)) == len(values)


# ---------------------------------------------------------------- texts


@needs_cross
@pytest.mark.parametrize(
    ("language", "parts"),
    [
        ("msl", ["#include <metal_stdlib>", "fragment Simple_out Simple(", "texture2d<float> albedo [[texture(0)]]"]),
        ("glsl", ["#version 450\n", "uniform sampler2D SPIRV_Cross_CombinedalbedolinearWrap;", "void main()"]),
        ("essl", ["#version 310 es\n", "precision mediump float;"]),
        ("hlsl", ["Texture2D<float4> albedo : register(t1, space0);", "SPIRV_Cross_Output main("]),
    ],
)
def test_languages(language: str, parts: list[str]) -> None:
    text = text_of(language, "Simple")
    for part in parts:
        assert part in text


OPTIONS: list[tuple[str, str, Any, str, str]] = [
    ("msl", "version", "1.1", "Simple", "unused"),
    ("msl", "platform", "ios", "VSMain", ""),
    ("msl", "bindings", "spirv", "Simple", "albedo [[texture(1)]]"),
    ("msl", "argument_buffers", True, "Simple", "struct spvDescriptorSetBuffer0"),
    ("msl", "texel_buffers", "native", "PSMain", "texture_buffer<float> texels"),
    ("msl", "pad_targets", True, "Depth", "float4 out_var_SV_Target"),
    ("msl", "native_arrays", True, "PSMain", "float"),
    ("msl", "flip_y", True, "VSMain", "out.gl_Position.y = -(out.gl_Position.y);"),
    ("glsl", "version", "330", "Simple", "#version 330\n"),
    ("glsl", "vulkan", True, "Simple", "uniform sampler linearWrap;"),
    ("glsl", "separate_shader_objects", True, "VSMain", "out gl_PerVertex"),
    ("glsl", "depth", "opengl", "VSMain", "gl_Position.z = 2.0 * gl_Position.z - gl_Position.w;"),
    ("glsl", "flip_y", True, "VSMain", "gl_Position.y = -gl_Position.y;"),
    ("glsl", "plain_uniforms", True, "VSMain", "uniform type_Camera Camera;"),
    ("glsl", "push_constants", "block", "VSMain", "uniform type_PushConstant_Push"),
    ("glsl", "sampler_bindings", "textures", "Simple", "layout(binding = 1) uniform sampler2D"),
    ("essl", "version", "300", "Simple", "#version 300 es\n"),
    ("essl", "float_precision", "highp", "Simple", "precision highp float;"),
    ("essl", "int_precision", "mediump", "Simple", "precision mediump int;"),
    ("essl", "depth", "opengl", "VSMain", "gl_Position.z = 2.0 * gl_Position.z - gl_Position.w;"),
    ("essl", "flip_y", True, "VSMain", "gl_Position.y = -gl_Position.y;"),
    ("essl", "plain_uniforms", True, "VSMain", "uniform type_Camera Camera;"),
    ("essl", "push_constants", "block", "VSMain", "uniform type_PushConstant_Push"),
    ("essl", "sampler_bindings", "textures", "Simple", "layout(binding = 1) uniform highp sampler2D"),
    ("hlsl", "shader_model", "4.0", "Simple", "register(t1)"),
    ("hlsl", "storage_buffers", "uav", "PSMain", "RWByteAddressBuffer lights"),
    ("hlsl", "nonzero_base", True, "VSMain", "SPIRV_Cross_BaseInstance"),
    ("hlsl", "flip_y", True, "VSMain", "gl_Position.y = -gl_Position.y;"),
]
NOT_HERE = {
    "msl_framebuffer_fetch": "needs a subpass input",
    "msl_invariant_math": "needs operations that Metal contracts",
    "hlsl_enable_16bit_types": "needs types of 16 bits",
}


def test_every_option_is_tested() -> None:
    assert {f"{language}_{name}" for language, name, *_ in OPTIONS} == CROSS_FIELDS.keys() - NOT_HERE.keys()


@needs_cross
@pytest.mark.parametrize(("language", "name", "value", "entry", "part"), OPTIONS)
def test_options_change_the_text(language: str, name: str, value: Any, entry: str, part: str) -> None:
    profile = "vs_6_0" if entry == "VSMain" else "ps_6_0"
    before = text_of(language, entry, profile)
    after = text_of(language, entry, profile, **{name: value})
    if part not in ("", "unused"):
        assert part in after
        assert after != before or part == "float"
    assert CROSS[language][name].default != value


@pytest.mark.parametrize(
    ("language", "options", "problem"),
    [
        ("spirv", {}, "`spirv` is none of msl, glsl, essl, hlsl"),
        ("msl", {"edition": "2.1"}, "there is no option `edition` for msl"),
        ("glsl", {"version": "331"}, "the option `version` is `450` or "),
        ("glsl", {"vulkan": 1}, "the option `vulkan` is `True` or `False`"),
    ],
)
def test_wrong_options(language: str, options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=re.escape(problem)):
        convert(b"", language, options)


# ---------------------------------------------------------------- the program of SPIRV-Cross, and glslang

FLAGS = {
    "msl": ["--msl", "--msl-version", "20400"],
    "glsl": ["--version", "450", "--no-es"],
    "essl": ["--version", "310", "--es"],
    "hlsl": ["--hlsl", "--shader-model", "60"],
}


@needs_cross
@needs_program
@pytest.mark.parametrize("language", FLAGS)
@pytest.mark.parametrize(("entry", "profile"), [("VSMain", "vs_6_0"), ("Simple", "ps_6_0"), ("Depth", "ps_6_0")])
def test_the_text_is_that_of_the_program(language: str, entry: str, profile: str, tmp_path: Path) -> None:
    module = tmp_path / "a.spv"
    module.write_bytes(compiled(entry, profile))
    program = subprocess.run(["spirv-cross", str(module), *FLAGS[language]], capture_output=True, text=True, check=True)
    assert text_of(language, entry, profile).rstrip("\n") == program.stdout.rstrip("\n")


@needs_cross
@needs_glslang
@pytest.mark.parametrize(
    ("language", "version"),
    [("glsl", "450"), ("glsl", "330"), ("glsl", "410"), ("essl", "300"), ("essl", "310"), ("essl", "320")],
)
def test_glslang_takes_and_links_the_stages(language: str, version: str, tmp_path: Path) -> None:
    """Stages of versions without locations are linked by the names of varyings."""
    for name, entry, profile in (("a.vert", "VSSimple", "vs_6_0"), ("a.frag", "Simple", "ps_6_0")):
        text = text_of(language, entry, profile, version=version)
        (tmp_path / name).write_text(text)
        varyings = re.findall(r"^(?:layout\(location = \d\) )?(?:in|out) .*?(\w*TEXCOORD0);", text, re.M)
        is_located = (language, version) not in (("glsl", "330"), ("essl", "300"))
        assert varyings == [
            ("in" if entry == "Simple" else "out") + "_var_TEXCOORD0" if is_located else "var_TEXCOORD0"
        ]
    command = ["glslangValidator", "-l", str(tmp_path / "a.vert"), str(tmp_path / "a.frag")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, "ERROR" in done.stdout) == (0, False), done.stdout


# ---------------------------------------------------------------- places


@needs_cross
def test_places_of_resources() -> None:
    converted = convert_all(compiled("PSMain"), {"msl": {}, "glsl": {}})
    metal = json.loads(slots_json(converted["msl"]))
    assert (metal["entry_point"], metal["language"]) == ("PSMain", "msl")
    rows = {row["name"]: row for row in metal["resources"]}
    assert rows["albedo"] == {"name": "albedo", "set": 0, "binding": 1, "texture": 0}
    for name, row in rows.items():
        (kind,) = row.keys() & {"buffer", "texture", "sampler"}
        assert re.search(rf"\b{name} \[\[{kind}\({row[kind]}\)\]\]", converted["msl"].text)
    assert {"buffer": 0} in converted["msl"].slots().values()
    opengl = json.loads(slots_json(converted["glsl"]))
    assert opengl["combined_samplers"] == [
        {"name": f"SPIRV_Cross_Combined{name}linearWrap", "texture": name, "sampler": "linearWrap"}
        for name in ("albedo", "rough")
    ]
    assert [row["name"] for row in opengl["resources"]] == [row["name"] for row in metal["resources"]]


# ---------------------------------------------------------------- errors


def test_a_missing_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SPIRV_CROSS", str(tmp_path))
    assert locate() is None
    assert signature() == "spirv-cross none"
    with pytest.raises(CrossMissing, match=f"not found; SPIRV_CROSS is `{re.escape(str(tmp_path))}`, which is neither"):
        convert(b"", "msl")
    monkeypatch.delenv("SPIRV_CROSS")
    monkeypatch.setattr(library, "_folders", lambda env: iter(()))
    with pytest.raises(CrossMissing, match="Debian and Ubuntu: libspirv-cross-c-shared-dev"):
        convert(b"", "msl")


def test_a_damaged_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    damaged = tmp_path / "libspirv-cross-c-shared.so"
    damaged.write_bytes(b"no library")
    monkeypatch.setenv("SPIRV_CROSS", str(damaged))
    assert locate() == str(damaged)
    before = signature()
    with pytest.raises(CrossError, match=r"msl: SPIRV-Cross ended with status 1: OSError: "):
        convert(b"", "msl")
    damaged.write_bytes(b"another one")
    assert signature() != before


@needs_cross
@pytest.mark.parametrize("data", [b"", b"hello", b"\x03\x02\x23\x07" * 8, compiled("PSMain")[:-40]])
def test_damaged_modules(data: bytes) -> None:
    with pytest.raises(CrossError, match="glsl: "):
        convert(data, "glsl")


@needs_cross
def test_a_module_that_a_language_cannot_express() -> None:
    with pytest.raises(CrossError) as error:
        convert(compiled("PSMain"), "essl", {"version": "100"})
    assert error.value.language == "essl"
    assert error.value.reason


# ---------------------------------------------------------------- the command


@needs_cross
def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.spv").write_bytes(compiled("Simple"))
    assert run(["cross", "glsl", "a.spv", "--version", "330", "--sampler-bindings"]) == 0
    assert capsys.readouterr().out == text_of("glsl", "Simple", version="330", sampler_bindings="textures")
    assert run(["cross", "msl", "a.spv", "-o", "a.metal", "--slots", "a.json"]) == 0
    assert Path("a.metal").read_text() == text_of("msl", "Simple")
    assert json.loads(Path("a.json").read_text())["entry_point"] == "Simple"
    assert run(["cross", "msl", "a.spv", "--slots", "-"]) == 2
    assert run(["cross", "msl", "none.spv"]) == 2
    Path("a.spv").write_bytes(b"no module")
    assert run(["cross", "msl", "a.spv"]) == 1
    assert "a.spv: error: msl: " in capsys.readouterr().err
    monkeypatch.setenv("SPIRV_CROSS", str(tmp_path))
    assert run(["cross", "msl", "a.spv"]) == 1
    assert "SPIRV-Cross was not found; SPIRV_CROSS is" in capsys.readouterr().err


RAW = "RWByteAddressBuffer b; [numthreads(1, 1, 1)] void main() { b.Store(0, b.Load<float4>(16)); }"
HEAP = """
[numthreads(1, 1, 1)] void main() { RWByteAddressBuffer b = ResourceDescriptorHeap[0]; b.Store(0, 1); }"""


@needs_cross
@pytest.mark.parametrize(
    ("source", "options", "words"),
    [
        (RAW, {"extensions": ("SPV_KHR_untyped_pointers",)}, "too old for -fspv-extension=SPV_KHR_untyped_pointers"),
        (HEAP, {"descriptor_heap": True}, "too old for -fspv-use-descriptor-heap"),
    ],
)
def test_an_option_that_spirv_cross_may_not_know_is_named(source: str, options: dict[str, Any], words: str) -> None:
    all_options = CompileOptions(target_env="vulkan1.3", validate="no", **options)
    spirv = compile_shader(source, profile="cs_6_6", options=all_options).spirv
    try:
        convert(spirv, "msl")  # later versions know the features
    except CrossError as error:
        assert words in str(error)
