"""The bindings of a shader, for WebGPU's bind group layouts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hlsl_tool.cli.__main__ import run as command_line
from hlsl_tool.wgsl import WgslError, bindings_json, convert_module

from .conversion import PREAMBLE, assemble, compile_hlsl

SOURCE = """
cbuffer C : register(b0) { float4 tint; };
[[vk::binding(1, 1)]] Texture2D<float> shadow;
[[vk::binding(2, 1)]] Texture2D<int4> numbers;
[[vk::binding(3, 1)]] SamplerComparisonState compared;
[[vk::binding(4, 1)]] StructuredBuffer<float3> points;
[[vk::binding(5, 1)]] Texture2D unused;
[[vk::binding(6, 1)]] RWTexture2DArray<float4> image;
float4 main(float3 p : P) : SV_Target {
  image[uint3(0, 0, 0)] = tint;
  return tint * shadow.SampleCmp(compared, p.xy, p.z) + numbers.Load(int3(0, 0, 0)) + float4(points[0], 0);
}
"""
NAMES = """OpName %t "t"
OpName %s "s"
OpName %out "out"
"""
DECORATIONS = """OpDecorate %t DescriptorSet 0
OpDecorate %t Binding 1
OpDecorate %s DescriptorSet 0
OpDecorate %s Binding 2
%void = """
HANDLES = """
%v2float = OpTypeVector %float 2
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%sampler = OpTypeSampler
%sampled = OpTypeSampledImage %image
%ptr_image = OpTypePointer UniformConstant %image
%ptr_sampler = OpTypePointer UniformConstant %sampler
%t = OpVariable %ptr_image UniformConstant
%s = OpVariable %ptr_sampler UniformConstant
%uv = OpConstantComposite %v2float %f1 %f1
"""


def entries(spirv: bytes) -> dict[tuple[int, int], dict[str, Any]]:
    content = json.loads(bindings_json(convert_module(spirv).bindings))
    return {(group["group"], entry["binding"]): entry for group in content["bindGroups"] for entry in group["entries"]}


def test_entries_are_what_webgpu_wants(tmp_path: Path) -> None:
    source = tmp_path / "a.hlsl"
    source.write_text(SOURCE)
    found = entries(compile_hlsl(source, ["-T", "ps_6_0", "-E", "main"], tmp_path))
    assert all(entry["visibility"] == 2 for entry in found.values())
    assert found[0, 0]["buffer"] == {"type": "uniform", "minBindingSize": 16}
    assert found[1, 1]["texture"] == {"sampleType": "depth", "viewDimension": "2d", "multisampled": False}
    assert found[1, 2]["texture"] == {"sampleType": "sint", "viewDimension": "2d", "multisampled": False}
    assert found[1, 3]["sampler"] == {"type": "comparison"}
    assert found[1, 4]["buffer"] == {"type": "read-only-storage", "minBindingSize": 16}
    assert (1, 5) not in found
    assert found[1, 6]["storageTexture"] == {
        "access": "write-only",
        "format": "rgba32float",
        "viewDimension": "2d-array",
    }
    assert found[1, 6]["from"] == {"name": "image", "set": 1, "binding": 6}


def test_a_sampler_that_is_used_both_ways_has_a_second_binding() -> None:
    text = PREAMBLE.replace("GLCompute", "Fragment").replace("LocalSize 1 1 1", "OriginUpperLeft")
    text = text.replace('OpName %out "out"\n', NAMES).replace("%void = ", DECORATIONS)
    body = """
%i = OpLoad %image %t
%j = OpLoad %sampler %s
%k = OpSampledImage %sampled %i %j
%a = OpImageSampleImplicitLod %v4float %k %uv
%b = OpImageSampleDrefImplicitLod %float %k %uv %f1
%c = OpBitcast %uint %b
%p = OpAccessChain %ptr_word %out %i0 %u0
OpStore %p %c
%x = OpCompositeExtract %float %a 0
%y = OpBitcast %uint %x
OpStore %p %y
OpReturn"""
    function = f"%main = OpFunction %void None %procedure\n%entry = OpLabel{body}\nOpFunctionEnd\n"
    spirv = assemble(text + HANDLES + function)
    found = entries(spirv)
    assert found[0, 2]["sampler"] == {"type": "non-filtering"}  # WebGPU does not filter depths
    assert found[0, 700]["sampler"] == {"type": "comparison"}
    assert found[0, 700]["from"] == {"name": "s", "set": 0, "binding": 2}
    wgsl = convert_module(spirv).text
    assert "var s: sampler;" in wgsl
    assert "var s_compare: sampler_comparison;" in wgsl
    assert "var t: texture_depth_2d;" in wgsl


SAMPLERS = """
Texture2D colour; Texture2D<uint4> numbers; Texture2D<float> depth; Texture2D<int2> more;
[[vk::binding(10)]] SamplerState coloured; [[vk::binding(11)]] SamplerState counted;
[[vk::binding(12)]] SamplerState both;
[[vk::binding(13)]] SamplerComparisonState compared; [[vk::binding(14)]] SamplerState deep;
float4 main(float2 p : P) : SV_Target {
  return colour.Sample(coloured, p) + numbers.GatherRed(counted, p) + depth.SampleCmp(compared, p, 0.5)
       + depth.Sample(deep, p) + colour.GatherRed(both, p) + more.GatherRed(both, p);
}
"""


def test_samplers_filter_where_webgpu_filters(tmp_path: Path) -> None:
    """Integer and depth textures need non-filtering samplers; a sampler for these and for colours becomes two."""
    source = tmp_path / "a.hlsl"
    source.write_text(SAMPLERS)
    spirv = compile_hlsl(source, ["-T", "ps_6_0", "-E", "main"], tmp_path)
    found = {key: entry["sampler"] for key, entry in entries(spirv).items() if "sampler" in entry}
    assert found == {
        (0, 10): {"type": "filtering"},
        (0, 11): {"type": "non-filtering"},
        (0, 12): {"type": "filtering"},
        (0, 13): {"type": "comparison"},
        (0, 14): {"type": "non-filtering"},
        (0, 700): {"type": "non-filtering"},
    }
    text = convert_module(spirv).text
    assert "@group(0) @binding(700) var both_unfiltered: sampler;" in text
    assert "textureGather(0, more, both_unfiltered, P)" in text


SIZES = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %B Block
OpMemberDecorate %B 0 Offset 0
OpMemberDecorate %B 1 Offset 16
OpDecorate %words ArrayStride 4
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 0
OpDecorate %C Block
OpMemberDecorate %C 0 Offset 0
OpMemberDecorate %C 1 Offset 12
OpMemberDecorate %C 2 Offset 16
OpDecorate %c DescriptorSet 0
OpDecorate %c Binding 1
%void = OpTypeVoid
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%v4 = OpTypeVector %float 4
%v3 = OpTypeVector %float 3
%words = OpTypeRuntimeArray %uint
%B = OpTypeStruct %v4 %words
%C = OpTypeStruct %v3 %uint %v3
%ptr_b = OpTypePointer StorageBuffer %B
%ptr_c = OpTypePointer StorageBuffer %C
%ptr_word = OpTypePointer StorageBuffer %uint
%b = OpVariable %ptr_b StorageBuffer
%c = OpVariable %ptr_c StorageBuffer
%u1 = OpConstant %uint 1
%procedure = OpTypeFunction %void
%main = OpFunction %void None %procedure
%entry = OpLabel
%p = OpAccessChain %ptr_word %b %u1 %u1
%q = OpAccessChain %ptr_word %c %u1
%v = OpLoad %uint %q
OpStore %p %v
OpReturn
OpFunctionEnd
"""


def test_the_least_size_of_a_buffer_is_that_of_its_struct() -> None:
    """The minimum binding size of a buffer is the size of its struct, with one element in an unsized array.

    The size of a struct is a multiple of its alignment.
    """
    found = entries(assemble(SIZES))
    assert found[0, 0]["buffer"] == {"type": "storage", "minBindingSize": 32}
    assert found[0, 1]["buffer"] == {"type": "storage", "minBindingSize": 32}


def test_a_read_only_and_a_writable_buffer_with_one_binding_are_an_error(tmp_path: Path) -> None:
    source = tmp_path / "a.hlsl"
    source.write_text(
        "StructuredBuffer<float4> t : register(t0);\nRWStructuredBuffer<float4> u : register(u0);\n"
        "[numthreads(1, 1, 1)] void main() { u[1] = t[0]; }\n"
    )
    with pytest.raises(WgslError, match="`t` and `u` both have binding 0 of group 0"):
        convert_module(compile_hlsl(source, ["-T", "cs_6_0", "-E", "main"], tmp_path))
    shifted = compile_hlsl(source, ["-T", "cs_6_0", "-E", "main", "-fvk-u-shift", "8", "0"], tmp_path)
    assert {key: entry["buffer"]["type"] for key, entry in entries(shifted).items()} == {
        (0, 0): "read-only-storage",
        (0, 8): "storage",
    }


def test_two_writable_buffers_with_one_binding_are_one(tmp_path: Path) -> None:
    source = tmp_path / "a.hlsl"
    source.write_text(
        "[[vk::binding(0)]] RWStructuredBuffer<float4> a;\n[[vk::binding(0)]] RWByteAddressBuffer b;\n"
        "[numthreads(1, 1, 1)] void main() { a[1] = b.Load(0); }\n"
    )
    found = entries(compile_hlsl(source, ["-T", "cs_6_0", "-E", "main"], tmp_path))
    assert [entry["buffer"] for entry in found.values()] == [{"type": "storage", "minBindingSize": 16}]


def test_texel_buffers_are_storage_buffers(tmp_path: Path) -> None:
    source = tmp_path / "a.hlsl"
    source.write_text(
        'Buffer<float2> a; RWBuffer<uint4> b; [[vk::image_format("rgba8")]] RWBuffer<float4> c;\n'
        "[numthreads(1, 1, 1)] void main() { b[0] = a[1].xyxy;\n#ifdef NARROW\n  c[0] = 1;\n#endif\n}\n"
    )
    options = ["-T", "cs_6_0", "-E", "main", "-Zi"]
    found = entries(compile_hlsl(source, options, tmp_path))
    assert {key: entry["buffer"] for key, entry in found.items()} == {
        (0, 0): {"type": "read-only-storage", "minBindingSize": 8},
        (0, 1): {"type": "storage", "minBindingSize": 16},
    }
    with pytest.raises(WgslError, match="no texel buffers of this format") as caught:
        convert_module(compile_hlsl(source, [*options, "-DNARROW"], tmp_path))
    assert "a.hlsl:4" in caught.value.place


def test_the_command_line_writes_them(tmp_path: Path) -> None:
    source = tmp_path / "a.hlsl"
    source.write_text(SOURCE)
    compile_hlsl(source, ["-T", "ps_6_0", "-E", "main"], tmp_path)
    output = tmp_path / "a.json"
    arguments = ["wgsl", str(tmp_path / "out.spv"), "-o", str(tmp_path / "a.wgsl"), "--bindings", str(output)]
    assert command_line(arguments) == 0
    assert [group["group"] for group in json.loads(output.read_text())["bindGroups"]] == [0, 1]


def test_the_stages_of_a_pipeline_do_not_get_into_each_others_way(tmp_path: Path) -> None:
    """A binding that both stages use has the same number in both."""
    source = tmp_path / "a.hlsl"
    source.write_text(
        "[[vk::combinedImageSampler]] [[vk::binding(0)]] Texture2D a;\n"
        "[[vk::combinedImageSampler]] [[vk::binding(0)]] SamplerState b;\n"
        "[[vk::binding(1)]] Texture2D t[4];\n[[vk::binding(2)]] SamplerState s;\n"
        "float4 VS() : SV_Position { return a.SampleLevel(b, 0, 0); }\n"
        "float4 PS(nointerpolation uint i : I) : SV_Target { return t[i].Sample(s, 0) + a.Sample(b, 0); }\n"
    )
    stages = [
        entries(compile_hlsl(source, ["-T", profile, "-E", entry], tmp_path))
        for profile, entry in (("vs_6_0", "VS"), ("ps_6_0", "PS"))
    ]
    shared = stages[0].keys() & stages[1].keys()
    assert shared == {(0, 0)}
    assert stages[0][0, 0]["texture"] == stages[1][0, 0]["texture"]
    assert {500} == {binding for _, binding in stages[0]} - {0}
    assert {700, 701, 702, 703} < {binding for _, binding in stages[1]}
