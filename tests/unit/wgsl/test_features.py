"""The WebGPU features that a converted shader requires of the device."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hlsl_tool.cli.__main__ import run as command_line
from hlsl_tool.wgsl import WgslError, bindings_json, convert_module

from .conversion import compile_hlsl

TEXTURE = """
%s RWTexture2D<float%s> image : register(u0);
RWStructuredBuffer<float> o : register(u1);
[numthreads(8, 8, 1)] void main(uint3 id : SV_DispatchThreadID) { %s }
"""
BOTH, READ, WRITE = "image[id.xy] = image[id.xy] * 2;", "o[0] = image[id.xy].x;", "image[id.xy] = 1;"


def compiled(tmp_path: Path, source: str, *arguments: str) -> bytes:
    path = tmp_path / "a.hlsl"
    path.write_text(source)
    return compile_hlsl(path, ["-E", "main", *arguments], tmp_path)


def texture(tmp_path: Path, name: str, components: str, use: str) -> bytes:
    attribute = f'[[vk::image_format("{name}")]]' if name else ""
    return compiled(tmp_path, TEXTURE % (attribute, components, use), "-T", "cs_6_0")


@pytest.mark.parametrize(
    ("name", "components", "use", "features"),
    [
        ("r32f", "", BOTH, ()),
        ("rgba8", "4", BOTH, ("texture-formats-tier2",)),
        ("rgba16f", "4", BOTH, ("texture-formats-tier2",)),
        ("r8", "", BOTH, ("texture-formats-tier2",)),
        ("rgba8", "4", WRITE, ()),
        ("rgba16f", "4", READ, ()),
        ("rg32f", "2", WRITE, ()),
        ("r8", "", WRITE, ("texture-formats-tier1",)),
        ("rgb10a2", "4", WRITE, ("texture-formats-tier1",)),
        ("r16f", "", READ, ("texture-formats-tier1",)),
        ("", "4", BOTH, ("texture-formats-tier2",)),
        ("", "4", WRITE, ()),
    ],
)
def test_storage_textures(tmp_path: Path, name: str, components: str, use: str, features: tuple[str, ...]) -> None:
    spirv = texture(tmp_path, name, components, use)
    assert convert_module(spirv).features == features
    if not features:
        assert convert_module(spirv, {"texture_formats": "core"}).features == ()
        return
    with pytest.raises(WgslError, match=f"only devices with `{features[0]}` can"):
        convert_module(spirv, {"texture_formats": "core"})


def test_extensions(tmp_path: Path) -> None:
    source = "RWStructuredBuffer<half> o; [numthreads(4, 1, 1)] void main() { o[0] = WaveActiveSum(o[1]); }"
    arguments = ("-T", "cs_6_2", "-enable-16bit-types", "-fspv-target-env=vulkan1.1")
    assert convert_module(compiled(tmp_path, source, *arguments)).features == ("shader-f16", "subgroups")
    source = "struct P { float4 at : SV_Position; float clip : SV_ClipDistance; }; P main() { return (P)0; }"
    assert convert_module(compiled(tmp_path, source, "-T", "vs_6_0")).features == ("clip-distances",)


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    converted = convert_module(texture(tmp_path, "rgba8", "4", BOTH))
    content: dict[str, Any] = json.loads(bindings_json(converted.bindings, converted.features))
    assert content["requiredFeatures"] == ["texture-formats-tier2"]
    module, layouts = tmp_path / "a.spv", tmp_path / "a.json"
    module.write_bytes(texture(tmp_path, "rgba8", "4", WRITE))
    assert command_line(["wgsl", str(module), "--bindings", str(layouts)]) == 0
    assert "requiredFeatures" not in json.loads(layouts.read_text())
    module.write_bytes(texture(tmp_path, "r8", "", WRITE))
    assert command_line(["wgsl", str(module), "--bindings", str(layouts)]) == 0
    assert json.loads(layouts.read_text())["requiredFeatures"] == ["texture-formats-tier1"]
    assert command_line(["wgsl", str(module), "--core-texture-formats"]) == 1
    assert "texture-formats-tier1" in capsys.readouterr().err
