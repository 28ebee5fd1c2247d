"""Arrays of resources as WGSL's `binding_array`, for Chrome and for wgpu."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.cli.__main__ import run as command_line
from hlsl_tool.spirv import op
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.encode import encode
from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.wgsl import WgslError, bindings_json, convert_module
from hlsl_tool.wgsl.pipelines import LayoutError, bind_groups

DECLARED = """
Texture2D colours[3] : register(t0);
Texture2D<float> shadows[2] : register(t10);
SamplerState plain[2] : register(s20);
SamplerComparisonState comparing : register(s25);
RWStructuredBuffer<uint> counts[2] : register(u30);
Buffer<float4> texels[2] : register(t40);
RWTexture2D<float> images[2] : register(u50);
"""
PIXEL = """
float4 main(float2 uv : UV, nointerpolation uint i : I) : SV_Target {
  uint old;
  InterlockedAdd(counts[i][1], 2, old);
  images[i][uint2(0, 0)] = old;
  float4 last = colours[2].Load(0);
  return colours[i].Sample(plain[i], uv) * shadows[i].SampleCmp(comparing, uv, 0.5) + texels[i][old] + last;
}
"""
BINDLESS = """
struct Material { float4 colour; uint flags; };
[[vk::binding(0, 1)]] StructuredBuffer<Material> materials[];
[[vk::binding(0, 1)]] StructuredBuffer<uint> numbers[];
[[vk::binding(0, 1)]] ByteAddressBuffer raw[];
float4 main(nointerpolation uint2 i : I) : SV_Target {
  uint size;
  raw[i.x].GetDimensions(size);
  return materials[i.x][i.y].colour + numbers[NonUniformResourceIndex(i.y)][i.x] + materials[3][0].flags + size;
}
"""


def converted(source: str, options: dict[str, Any], profile: str = "ps_6_0") -> tuple[str, dict[str, Any]]:
    """Return the WGSL and the JSON of the bindings."""
    result = compile_shader(source, profile=profile, options=CompileOptions(target_env="vulkan1.2"))
    assert result.ok
    conversion = convert_module(result.spirv, {"arrays": "binding_array", **options})
    assert conversion == convert_module(result.spirv, {"arrays": "binding_array", **options})
    needs = conversion.features, conversion.limits, conversion.language_features
    return conversion.text, json.loads(bindings_json(conversion.bindings, *needs))


def entry(content: dict[str, Any], name: str) -> dict[str, Any]:
    return next(entry for group in content["bindGroups"] for entry in group["entries"] if entry["name"] == name)


def test_wgpu_has_arrays_of_most_kinds() -> None:
    text, content = converted(DECLARED + PIXEL, {"naga": True})
    assert text.startswith("enable wgpu_binding_array;\n")
    for line in (
        "@binding(0) var colours: binding_array<texture_2d<f32>, 3>;",
        "@binding(10) var shadows: binding_array<texture_depth_2d, 2>;",
        "@binding(20) var plain: binding_array<sampler, 2>;",
        "@binding(40) var<storage, read> texels: binding_array<texels_texels, 2>;",
        "@binding(50) var images: binding_array<texture_storage_2d<r32float, write>, 2>;",
        "textureSample(colours[I], plain[I], UV)",
        "textureSampleCompare(shadows[I], comparing, UV, 0.5f)",
        "atomicAdd(&counts[I].member0[1], 2u)",
        "texels[I].texels[",
        "textureLoad(colours[2i], ",
    ):
        assert line in text
    assert entry(content, "colours")["count"] == 3
    assert content["requiredFeatures"] == [
        "buffer-binding-array",
        "sampled-texture-and-storage-buffer-array-non-uniform-indexing",
        "storage-resource-binding-array",
        "storage-texture-array-non-uniform-indexing",
        "texture-binding-array",
    ]
    assert content["requiredLimits"] == {
        "maxBindingArrayElementsPerShaderStage": 13,
        "maxBindingArraySamplerElementsPerShaderStage": 2,
    }


def test_chrome_has_arrays_of_sampled_textures() -> None:
    text, content = converted(DECLARED + PIXEL, {})
    assert text.startswith("requires sized_binding_array;\n")
    assert "@binding(0) var colours: binding_array<texture_2d<f32>, 3>;" in text
    assert text.count("binding_array<") == 1
    assert "case 0u: { return textureSample(colours[index], plain_0, coordinates); }" in text
    assert entry(content, "colours")["bindingArraySize"] == 3
    assert "requiredFeatures" not in content
    assert content["requiredLanguageFeatures"] == ["sized_binding_array"]


def test_chrome_indexes_uniformly() -> None:
    source = """
Texture2D a[3] : register(t0);
float4 main(nointerpolation uint i : I) : SV_Target { return a[NonUniformResourceIndex(i)].Load(0); }
"""
    assert "binding_array" not in converted(source, {})[0]
    assert "binding_array" in converted(source, {"naga": True})[0]


@pytest.mark.parametrize("kept", [op.OpAccessChain, op.OpLoad])
def test_either_the_pointer_or_the_handle_is_marked(kept: int) -> None:
    source = "Texture2D a[3]; float4 main(nointerpolation uint i : I) : SV_Target { return %s; }"
    result = compile_shader(source % "a[NonUniformResourceIndex(i)].Load(0)", profile="ps_6_0")
    module = decode(result.spirv)
    marked = {inst.result_id for function in module.functions for inst in function.instructions() if inst.op == kept}
    module.annotations = [
        inst
        for inst in module.annotations
        if inst.op != op.OpDecorate or inst.id(1) != Decoration.NonUniform or inst.id(0) in marked
    ]
    assert "binding_array" not in convert_module(encode(module), {"arrays": "binding_array"}).text


def test_an_array_has_a_binding_for_each_element_in_chrome() -> None:
    """An array moves if another resource has one of the bindings behind its first; wgpu needs only that one."""
    source = """
Texture2D a[200] : register(t0);
Texture2D b : register(t5);
float4 main(nointerpolation uint i : I) : SV_Target { return a[i].Load(0) + b.Load(0); }
"""
    text, content = converted(source, {})
    assert "@group(0) @binding(700) var a: binding_array<texture_2d<f32>, 200>;" in text
    assert content["requiredLimits"] == {"maxSampledTexturesPerShaderStage": 201}
    assert "@group(0) @binding(0) var a" in converted(source, {"naga": True})[0]
    source = source.replace("t5", "t300").replace("t0", "t400")
    assert "@group(0) @binding(700) var a:" in converted(source, {"bindings": "compact"})[0]


def test_wgpu_wants_no_uniform_buffer_in_the_group_of_an_array() -> None:
    source = """
Texture2D a[3] : register(t0, space%d);
cbuffer C : register(b9) { uint i; };
float4 main() : SV_Target { return a[i].Load(0); }
"""
    assert "binding_array" not in converted(source % 0, {"naga": True})[0]
    assert "binding_array" in converted(source % 1, {"naga": True})[0]


def test_arrays_with_one_binding_are_one_array_of_words() -> None:
    options = {"naga": True, "unbounded_arrays": 1000}
    text, content = converted(BINDLESS, options)
    assert "var<storage, read> materials: binding_array<Struct, 1000>;" in text
    assert "switch" not in text
    assert "fn load_numbers(index: u32, element: u32) -> u32 {\n  return materials[index].member0[element];\n}" in text
    assert "arrayLength(&materials[index].member0)" in text
    assert entry(content, "materials")["from"] == {"name": "materials", "set": 1, "binding": 0}


def test_a_length_is_needed() -> None:
    with pytest.raises(WgslError, match="`unbounded_arrays` gives one"):
        converted(BINDLESS, {"naga": True})
    with pytest.raises(WgslError, match="more than 256 elements"):
        converted(BINDLESS, {"unbounded_arrays": 257})


def test_a_pipeline_has_the_longer_array() -> None:
    source = (
        "Texture2D a[%d] : register(t0); float4 main(nointerpolation uint i : I) : SV_Target { return a[i].Load(0); }"
    )
    for options, member in (({"naga": True}, "count"), ({}, "bindingArraySize")):
        stages = [converted(source % length, options)[1] for length in (2, 5)]
        for order in (stages, stages[::-1]):
            assert bind_groups(order)[0]["entries"][0][member] == 5


def test_an_array_of_one_stage_serves_the_first_element_in_another() -> None:
    """Chrome has no arrays for a stage that indexes them with `NonUniformResourceIndex`."""
    source = "Texture2D a[3]; float4 main(nointerpolation uint i : I) : SV_Target { return a[%s].Load(0); }"
    stages = [converted(source % index, {})[1] for index in ("i", "NonUniformResourceIndex(i)")]
    for order in (stages, stages[::-1]):
        first, *others = bind_groups(order)[0]["entries"]
        assert (first["name"], first["bindingArraySize"], first["from"].get("element")) == ("a", 3, None)
        assert [entry["from"]["element"] for entry in others] == [1, 2]


def test_an_array_of_one_stage_and_a_resource_of_another_clash() -> None:
    single = "%s float4 main(nointerpolation uint i : I) : SV_Target { return %s; }"
    array = converted(single % ("[[vk::binding(0)]] Texture2D a[3];", "a[i].Load(0)"), {})[1]
    behind = converted(single % ("[[vk::binding(1)]] Texture2D b;", "b.Load(0)"), {})[1]
    with pytest.raises(LayoutError, match="`a` takes the bindings 0 to 2 of group 0, and `b` has binding 1 in another"):
        bind_groups([behind, array])
    array = converted(single % ("[[vk::binding(0)]] Texture2D a[3];", "a[i].Load(0)"), {"naga": True})[1]
    assert bind_groups([behind, array])
    constants = converted(single % ("[[vk::binding(1)]] cbuffer C { float4 c; };", "c"), {"naga": True})[1]
    with pytest.raises(LayoutError, match="group 0 has the array `a` in one stage and the constant buffer `C` in"):
        bind_groups([array, constants])


def test_push_constants_move_to_a_group_without_arrays() -> None:
    source = """
struct Push { uint i[40]; };
[[vk::push_constant]] Push push;
Texture2D a[3] : register(t0, space7);
Texture2D b : register(t0, space%d);
float4 main() : SV_Target { return a[push.i[2]].Load(0) + b.Load(0); }
"""
    _, content = converted(source % 1, {"naga": True, "bindings": "compact"})
    groups = {group["group"]: [entry["name"] for entry in group["entries"]] for group in content["bindGroups"]}
    assert groups == {1: ["b"], 2: ["push"], 3: ["a"]}


def test_the_command_line_has_the_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = "Texture2D a[3]; float4 main(nointerpolation uint i : I) : SV_Target { return a[i].Load(0); }"
    module = tmp_path / "a.spv"
    module.write_bytes(compile_shader(source, profile="ps_6_0").spirv)
    assert command_line(["wgsl", str(module), "--binding-arrays", "--naga"]) == 0
    assert "var a: binding_array<texture_2d<f32>, 3>;" in capsys.readouterr().out


def test_comments_name_only_functions_of_the_source() -> None:
    source = """
Texture2D a[3];
float4 main(nointerpolation uint i : I, int k : K) : SV_Target { return a[i].Load(0) + a[k].Load(0); }
"""
    text, _ = converted(source, {"arrays": "switch", "comments": True})
    assert "load_a_1(" in text
    assert "// load_a" not in text


def test_errors_name_instructions_of_the_module() -> None:
    source = """
RWTexture2D<uint> t[2];
void main(nointerpolation uint i : I) { InterlockedAdd(t[i][uint2(i, i)], 1); }
"""
    spirv = compile_shader(source, profile="ps_6_0").spirv
    with pytest.raises(WgslError) as error:
        convert_module(spirv)
    bound = int.from_bytes(spirv[12:16], "little")
    numbers = [int(number) for number in re.findall(r"%(\d+)", str(error.value))]
    assert numbers
    assert max(numbers) < bound
