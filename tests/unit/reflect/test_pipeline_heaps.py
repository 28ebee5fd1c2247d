"""Pipelines with descriptor heaps: strides, mappings of bindings and push data, as data and as C++."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.reflection.pipeline import PipelineError, pipeline_cpp, pipeline_of
from hlsl_tool.reflection.reflection import Reflection

SHADER = """
struct Light { float4 color; };
[[vk::push_constant]] struct { float4 tint; uint first; uint count; } push;
RWTexture2D<float4> result : register(u0);
Texture2D<float4> many[] : register(t3);
[numthreads(8, 8, 1)] void CSMain(uint3 id : SV_DispatchThreadID) {
    Texture2D<float4> albedo = ResourceDescriptorHeap[push.first + id.z];
    StructuredBuffer<Light> lights = ResourceDescriptorHeap[7];
    SamplerState linearly = SamplerDescriptorHeap[0];
    result[id.xy] = albedo.SampleLevel(linearly, 0.5, 0) * lights[id.x].color + many[id.x][id.xy];
}
float4 VSMain() : SV_Position { ByteAddressBuffer b = ResourceDescriptorHeap[1]; return asfloat(b.Load4(0)); }
float4 PSMain() : SV_Target { Texture2D<float4> t = ResourceDescriptorHeap[2]; return t[uint2(0, 0)] * push.tint; }
"""
RAYS = """
RWStructuredBuffer<uint> o;
[numthreads(1, 1, 1)] void main() {
    RaytracingAccelerationStructure s = ResourceDescriptorHeap[2];
    RayDesc ray = { float3(0.2, 0.2, -1), 0, float3(0, 0, 1), 10 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(s, RAY_FLAG_NONE, 0xFF, ray);
    q.Proceed();
    o[0] = q.CommittedInstanceID();
}"""


def reflected(entry: str, profile: str, source: str = SHADER, **options: Any) -> Reflection:
    settings = CompileOptions(target_env="vulkan1.3", descriptor_heap=True, **options)
    result = compile_shader(source, entry=entry, profile=profile, options=settings)
    assert result.ok, [d.message for d in result.diagnostics]
    return result.reflect()


def test_strides_of_the_device() -> None:
    tables = pipeline_of([reflected("CSMain", "cs_6_6")])
    resources, samplers = tables.descriptor_heaps
    assert (resources.kind, resources.stride) == ("resource", None)
    assert resources.stride_properties == ["imageDescriptorSize", "bufferDescriptorSize"]
    assert resources.heap_alignment_property == "resourceHeapAlignment"
    assert resources.reserved_range_property == "minResourceHeapReservedRange"
    types = ["VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE", "VK_DESCRIPTOR_TYPE_STORAGE_BUFFER"]
    assert [d.type for d in resources.descriptors] == types
    assert (samplers.kind, samplers.stride_properties) == ("sampler", ["samplerDescriptorSize"])
    assert samplers.alignment_properties == ["samplerDescriptorAlignment"]
    assert tables.create_flags == ["VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT"]
    assert tables.stages[0].create_flags == ["VK_SHADER_CREATE_DESCRIPTOR_HEAP_BIT_EXT"]


def test_bindings_beside_heaps_have_masks() -> None:
    (layout,) = pipeline_of([reflected("CSMain", "cs_6_6")]).set_layouts
    assert [(b.name, b.count, b.resource_mask) for b in layout.bindings] == [
        ("result", 1, ["VK_SPIRV_RESOURCE_TYPE_READ_WRITE_IMAGE_BIT_EXT"]),
        ("many", None, ["VK_SPIRV_RESOURCE_TYPE_SAMPLED_IMAGE_BIT_EXT"]),
    ]


def test_stages_share_the_heap() -> None:
    tables = pipeline_of([reflected("PSMain", "ps_6_6"), reflected("VSMain", "vs_6_6")])
    (heap,) = tables.descriptor_heaps
    assert heap.stages == ["VK_SHADER_STAGE_VERTEX_BIT", "VK_SHADER_STAGE_FRAGMENT_BIT"]
    assert [d.type.removeprefix("VK_DESCRIPTOR_TYPE_") for d in heap.descriptors] == ["STORAGE_BUFFER", "SAMPLED_IMAGE"]
    text = pipeline_cpp(tables)
    assert "push_data_size = 24;" in text
    assert "set_infos" not in text and "VkPushConstantRange" not in text and "binding_mappings" not in text


def test_acceleration_structures_have_the_size_of_buffers() -> None:
    (heap,) = pipeline_of([reflected("main", "cs_6_6", RAYS)]).descriptor_heaps
    assert heap.stride_properties == ["imageDescriptorSize", "bufferDescriptorSize"]
    assert [d.type for d in heap.descriptors] == ["VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR"]


def test_a_stride_of_the_shader_states_what_it_assumes() -> None:
    (heap,) = pipeline_of([reflected("VSMain", "vs_6_6", resource_heap_stride=32)]).descriptor_heaps
    assert (heap.stride, heap.stride_properties) == (32, ["bufferDescriptorSize"])
    assert heap.alignment_properties == ["bufferDescriptorAlignment"]
    (heap,) = pipeline_of([reflected("PSMain", "ps_6_6", resource_heap_stride=32)]).descriptor_heaps
    assert heap.stride_properties == ["imageDescriptorSize"]


@pytest.mark.parametrize(("stride", "words"), [(64, "32 in VK_SHADER_STAGE_VERTEX_BIT and 64"), (0, "32 .*device in")])
def test_stages_with_different_strides(stride: int, words: str) -> None:
    options = {"resource_heap_stride": stride} if stride else {}
    stages = [reflected("VSMain", "vs_6_6", resource_heap_stride=32), reflected("PSMain", "ps_6_6", **options)]
    with pytest.raises(PipelineError, match=f"different strides of the resource heap: {words}"):
        pipeline_of(stages)


DECLARATIONS = """
#include <vulkan/vulkan_core.h>
#ifndef VK_EXT_descriptor_heap  // the parts that the tables use, for headers without them
#define VK_EXT_descriptor_heap 1
typedef VkFlags64 VkPipelineCreateFlags2KHR;
constexpr VkPipelineCreateFlags2KHR VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT = 1ull << 36;
constexpr VkStructureType VK_STRUCTURE_TYPE_DESCRIPTOR_SET_AND_BINDING_MAPPING_EXT = VkStructureType(1000135005);
constexpr VkFlags VK_SPIRV_RESOURCE_TYPE_SAMPLED_IMAGE_BIT_EXT = 2, VK_SPIRV_RESOURCE_TYPE_READ_WRITE_IMAGE_BIT_EXT = 8;
enum VkDescriptorMappingSourceEXT { VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT };
struct Place { uint32_t heapOffset, heapArrayStride; };
union VkDescriptorMappingSourceDataEXT { Place constantOffset; uint32_t pushDataOffset; };
struct VkDescriptorSetAndBindingMappingEXT {
    VkStructureType sType; const void* pNext; uint32_t descriptorSet, firstBinding, bindingCount; VkFlags resourceMask;
    VkDescriptorMappingSourceEXT source; VkDescriptorMappingSourceDataEXT sourceData;
};
struct VkPhysicalDeviceDescriptorHeapPropertiesEXT {
    VkDeviceSize samplerDescriptorSize, imageDescriptorSize, bufferDescriptorSize;
    VkDeviceSize samplerDescriptorAlignment, imageDescriptorAlignment, bufferDescriptorAlignment;
};
#endif
"""
MAIN = """
#include "device.hpp"
#include "own.hpp"
int main() {
    VkPhysicalDeviceDescriptorHeapPropertiesEXT p{};
    p.imageDescriptorSize = 32, p.bufferDescriptorSize = 16, p.samplerDescriptorSize = 8;
    p.imageDescriptorAlignment = 32, p.bufferDescriptorAlignment = 16, p.samplerDescriptorAlignment = 8;
    if (device::resource_heap_stride(p) != 32 || device::sampler_heap_stride(p) != 8) return 1;
    p.bufferDescriptorSize = 64;
    if (device::resource_heap_stride(p) != 64) return 2;
    if (own::resource_heap_stride(p) != 48 || own::resource_heap_stride_fits(p)) return 3;
    p.bufferDescriptorSize = 16;
    if (own::resource_heap_stride_fits(p)) return 4;  // 48 is no multiple of 32
    p.imageDescriptorAlignment = 16;
    if (!own::resource_heap_stride_fits(p) || !own::sampler_heap_stride_fits(p)) return 5;
    static_assert(device::push_data_offset == 0 && device::push_data_size == 24);
    static_assert(device::binding_mappings[1].firstBinding == 3 && device::binding_mappings[1].bindingCount == 1);
    static_assert(device::pipeline_create_flags == VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT);
    return device::CSMain_stage.stage == VK_SHADER_STAGE_COMPUTE_BIT ? 0 : 6;
}
"""


def test_cpp(tmp_path: Path) -> None:
    if shutil.which("g++") is None or not Path("/usr/include/vulkan/vulkan_core.h").exists():
        pytest.skip("needs g++ and the headers of Vulkan")
    for name, options in (("device", {}), ("own", {"resource_heap_stride": 48, "sampler_heap_stride": 16})):
        tables = pipeline_of([reflected("CSMain", "cs_6_6", **options)])
        (tmp_path / f"{name}.hpp").write_text(pipeline_cpp(tables, namespace=name))
    for name, declarations in (("plain", ""), ("main", DECLARATIONS)):
        main = MAIN if declarations else '#include "device.hpp"\nint main() {}\n'  # headers without the extension
        (tmp_path / "main.cpp").write_text(declarations + main)
        command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "main.cpp", "-o", name]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert subprocess.run([tmp_path / name], check=False).returncode == 0
