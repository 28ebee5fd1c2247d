"""Heaps of SPV_EXT_descriptor_heap in reflection: strides, descriptors, structs for the host."""

from __future__ import annotations

from typing import Any

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.reflection.blocks import blocks
from hlsl_tool.reflection.extract import reflect
from hlsl_tool.reflection.reflection import Reflection
from hlsl_tool.spirv.decode import decode

SHADER = """
struct Light { float3 place; float power; };
RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    StructuredBuffer<Light> lights = ResourceDescriptorHeap[id.x];
    RWTexture2D<float> t = ResourceDescriptorHeap[id.y];
    SamplerState s = SamplerDescriptorHeap[2];
    Texture2D<float4> u = ResourceDescriptorHeap[id.z];
    t[id.xy] = lights[id.z].power + u.SampleLevel(s, 0, 0).x;
    o[0] = t[id.yx];
}"""


def reflected(**options: Any) -> Reflection:
    chosen = CompileOptions(target_env="vulkan1.3", descriptor_heap=True, validate="no", **options)
    result = compile_shader(SHADER, profile="cs_6_6", options=chosen)
    assert result.ok, [d.message for d in result.diagnostics]
    return reflect(decode(result.spirv), result.interface)


def test_descriptors_of_each_heap() -> None:
    reflection = reflected()
    assert [r.name for r in reflection.resources] == ["o"]
    heaps = {heap.builtin: heap for heap in reflection.descriptor_heaps}
    resources, samplers = heaps["ResourceHeapEXT"], heaps["SamplerHeapEXT"]
    found = {(d.kind, d.access, d.hlsl_access) for d in resources.descriptors}
    assert found == {
        ("storage_buffer", "read", "read_only"),
        ("storage_image", "read_write", "read_write"),
        ("sampled_image", "read", "read_only"),
    }
    assert [d.kind for d in samplers.descriptors] == ["sampler"]
    assert resources.used_by == samplers.used_by == ["main"]


def test_strides() -> None:
    resources, samplers = sorted(reflected().descriptor_heaps, key=lambda heap: heap.builtin)
    assert (resources.stride, resources.stride_of_largest) == (None, ["image", "buffer"])
    assert (samplers.stride, samplers.stride_of_largest) == (None, ["sampler"])
    fixed = reflected(resource_heap_stride=64, sampler_heap_stride=16).descriptor_heaps
    assert {heap.builtin: heap.stride for heap in fixed} == {"ResourceHeapEXT": 64, "SamplerHeapEXT": 16}
    assert not any(heap.stride_of_largest for heap in fixed)


def test_structs_of_buffers_in_heaps_are_blocks() -> None:
    (light,) = (block for block in blocks(reflected()) if block.name == "type.StructuredBuffer.Light")
    assert light.stride == 16
    assert [m.name for m in light.element.members] == ["place", "power"]


def test_requirements() -> None:
    requirements = reflected().requirements
    assert requirements is not None
    assert "VK_EXT_descriptor_heap" in {x for f in requirements.features for x in f.provided_by}
    assert not requirements.unknown
