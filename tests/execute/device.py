"""A headless Vulkan device for compute shaders and for drawing without attachments.

Simple rather than fast: every image stays in the general layout, and every submission is waited for.
"""

from __future__ import annotations

import os
import struct
from typing import Any

import numpy as np
import vulkan as vk
from vulkan import ffi

from hlsl_tool.gpu.backend import ImageShape, SamplerState
from hlsl_tool.gpu.errors import NoDeviceError
from hlsl_tool.gpu.formats import Format, formats
from hlsl_tool.gpu.vulkan import device as gpu_device
from hlsl_tool.gpu.vulkan import memory
from hlsl_tool.gpu.vulkan.device import WHOLE
from hlsl_tool.gpu.vulkan.memory import GENERAL

_DEPTH = Format("float32", 1, "float", "", "VK_FORMAT_D32_SFLOAT", "depth32float")
_WIDE = (
    Format("uint64", 1, "uint", "R64ui", "VK_FORMAT_R64_UINT", ""),
    Format("int64", 1, "int", "R64i", "VK_FORMAT_R64_SINT", ""),
)
"""Formats for atomics only, which few devices have."""


def format_of(name: str) -> Format:
    """Return a format by the tests' name: SPIR-V's in lower case, with `u` for `ui`; `d32` for depths."""
    return next((f for f in (*formats(), *_WIDE) if f.spirv.lower().replace("ui", "u") == name), _DEPTH)


DESCRIPTORS = {
    "storage": vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    "uniform": vk.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    "texels": vk.VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
    "rw_texels": vk.VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
    "texture": vk.VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
    "image": vk.VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
    "sampler": vk.VK_DESCRIPTOR_TYPE_SAMPLER,
    "combined": vk.VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
    "scene": 1000150000,  # VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR
}
EXTENSIONS = {
    "VK_EXT_shader_atomic_float": "VkPhysicalDeviceShaderAtomicFloatFeaturesEXT",
    "VK_EXT_shader_atomic_float2": "VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT",
    "VK_EXT_shader_image_atomic_int64": "VkPhysicalDeviceShaderImageAtomicInt64FeaturesEXT",
    "VK_EXT_mesh_shader": "VkPhysicalDeviceMeshShaderFeaturesEXT",
    "VK_NV_shader_atomic_float16_vector": "HalfVectorFeatures",
    "VK_KHR_compute_shader_derivatives": "VkPhysicalDeviceComputeShaderDerivativesFeaturesNV",
    "VK_KHR_maintenance5": "VkPhysicalDeviceMaintenance5FeaturesKHR",
    "VK_KHR_shader_untyped_pointers": "UntypedPointersFeatures",
    "VK_EXT_descriptor_heap": "DescriptorHeapFeatures",
    "VK_KHR_deferred_host_operations": "",
    "VK_KHR_acceleration_structure": "VkPhysicalDeviceAccelerationStructureFeaturesKHR",
    "VK_KHR_ray_query": "VkPhysicalDeviceRayQueryFeaturesKHR",
    "VK_KHR_ray_tracing_pipeline": "VkPhysicalDeviceRayTracingPipelineFeaturesKHR",
    "VK_KHR_ray_tracing_position_fetch": "VkPhysicalDeviceRayTracingPositionFetchFeaturesKHR",
    "VK_NV_ray_tracing_invocation_reorder": "VkPhysicalDeviceRayTracingInvocationReorderFeaturesNV",
    "VK_EXT_ray_tracing_invocation_reorder": "InvocationReorderFeatures",
    "VK_KHR_cooperative_matrix": "VkPhysicalDeviceCooperativeMatrixFeaturesKHR",
    "VK_NV_cooperative_matrix2": "CooperativeMatrix2Features",
    "VK_NV_cooperative_vector": "CooperativeVectorFeatures",
    "VK_KHR_shader_clock": "VkPhysicalDeviceShaderClockFeaturesKHR",
    "VK_KHR_shader_bfloat16": "",
    "VK_EXT_shader_float8": "",
    "VK_KHR_maintenance8": "",
    "VK_KHR_shader_maximal_reconvergence": "",
}
"""Extensions that are switched on where they are there, and the structure of their features, if they have any.

The binding knows the features of compute derivatives by the name they had before, with the same members and number."""
STAGES = {
    "vs": vk.VK_SHADER_STAGE_VERTEX_BIT,
    "hs": vk.VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
    "ds": vk.VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
    "gs": vk.VK_SHADER_STAGE_GEOMETRY_BIT,
    "as": 0x40,  # VK_SHADER_STAGE_TASK_BIT_EXT
    "ms": 0x80,  # VK_SHADER_STAGE_MESH_BIT_EXT
    "ps": vk.VK_SHADER_STAGE_FRAGMENT_BIT,
}
TOPOLOGIES = {
    "points": vk.VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
    "lines": vk.VK_PRIMITIVE_TOPOLOGY_LINE_LIST,
    "triangles": vk.VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
    "patches": vk.VK_PRIMITIVE_TOPOLOGY_PATCH_LIST,
}
STORAGE_OF_STRUCTURES, INPUT_OF_STRUCTURES, SHADER_TABLE = 0x100000, 0x80000, 0x400
"""VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE, …_BUILD_INPUT_READ_ONLY, _SHADER_BINDING_TABLE_BIT_KHR."""


def _stand_in(struct: str, number: int) -> Any:
    """Return a constructor for a feature struct that the binding lacks.

    It fills in another struct of the same size or a larger one, with the structure type ``number``.
    """
    return lambda **fields: getattr(vk, struct)(sType=number, **fields)


vk.HalfVectorFeatures = _stand_in("VkPhysicalDeviceCornerSampledImageFeaturesNV", 1000563000)
vk.InvocationReorderFeatures = _stand_in("VkPhysicalDeviceRepresentativeFragmentTestFeaturesNV", 1000581000)
vk.UntypedPointersFeatures = _stand_in("VkPhysicalDeviceExclusiveScissorFeaturesNV", 1000387000)
vk.DescriptorHeapFeatures = _stand_in("VkPhysicalDeviceShadingRateImageFeaturesNV", 1000135009)
vk.CooperativeVectorFeatures = _stand_in("VkPhysicalDeviceConditionalRenderingFeaturesEXT", 1000491000)
vk.CooperativeMatrix2Features = _stand_in("VkPhysicalDeviceExtendedDynamicState3FeaturesEXT", 1000593000)
STAND_INS = {
    "extendedDynamicState3TessellationDomainOrigin": "cooperativeMatrixWorkgroupScope",
    "extendedDynamicState3RasterizationSamples": "cooperativeMatrixConversions",
    "conditionalRendering": "cooperativeVector",
    "inheritedConditionalRendering": "cooperativeVectorTraining",
    "cornerSampledImage": "shaderFloat16VectorAtomics",
    "representativeFragmentTest": "rayTracingInvocationReorderEXT",
    "exclusiveScissor": "shaderUntypedPointers",
    "shadingRateImage": "descriptorHeap",
}
"""Member of a struct that stands in for another → the feature."""

Resource = dict[str, Any]
Place = tuple[int, int] | tuple[int, int, int]
"""(set, binding), and the element of an array"""


def vulkan_format(name: str) -> int:
    """Return Vulkan's number of a format, given the tests' name."""
    return getattr(vk, format_of(name).vulkan)


class Device(gpu_device.Device):
    """A device with all extensions that the tests use; HLSL_TOOL_TEST_DEVICE selects it by a part of its name."""

    def __init__(self) -> None:
        try:
            super().__init__(os.environ.get("HLSL_TOOL_TEST_DEVICE", "llvmpipe"), EXTENSIONS)
        except NoDeviceError:
            super().__init__("", EXTENSIONS)
        self.features |= {feature for member, feature in STAND_INS.items() if member in self.features}
        self.features |= {name for name, features in EXTENSIONS.items() if not features and name in self.extensions}


class Buffer(memory.Buffer):
    """A buffer with initial contents, created for every usage."""

    def __init__(self, device: Device, data: bytes, *, usage: int = 0) -> None:
        usage |= vk.VK_BUFFER_USAGE_VERTEX_BUFFER_BIT
        if "accelerationStructure" in device.features:
            usage |= INPUT_OF_STRUCTURES
        if "rayTracingPipeline" in device.features:
            usage |= SHADER_TABLE
        super().__init__(device, len(data), usage)
        self.write(np.frombuffer(data, np.uint8))

    def contents(self) -> bytes:
        """Return a copy of the buffer's bytes."""
        return self.bytes.tobytes()


class Image(memory.Image):
    """An image with initial contents: tightly packed, levels from the largest to the smallest, all layers in each."""

    def __init__(self, device: Device, resource: Resource) -> None:
        kind, form = resource["kind"], format_of(resource["format"])
        usage = {
            "colour": vk.VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
            "depth": vk.VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
        }
        shape = ImageShape(
            resource["view"].replace("_", "-"),
            form,
            tuple(resource["size"]),
            resource["layers"],
            resource["levels"],
            kind == "image",
        )
        aspect = vk.VK_IMAGE_ASPECT_DEPTH_BIT if form is _DEPTH else 0
        super().__init__(device, shape, usage=usage.get(kind, 0), aspect=aspect)
        self.write(np.frombuffer(bytes(resource["data"])[: shape.bytes].ljust(shape.bytes, b"\0"), np.uint8))
        self.upload()

    def contents(self) -> bytes:
        """Return the texels of all levels."""
        self.download()
        return self.read().tobytes()


def sampler(device: Device, resource: Resource) -> memory.Sampler:
    """Create the sampler that a resource describes."""
    state = SamplerState(resource["filter"], resource["address"], resource["compare"].replace("_", "-"))
    return memory.Sampler(device, state)


class Dispatch:
    """A compute pipeline with its descriptors; `run` returns the contents of the resources that shaders may write."""

    point = vk.VK_PIPELINE_BIND_POINT_COMPUTE

    def __init__(self, device: Device, request: dict[str, Any]) -> None:
        self.device, self.request, self.resources = device, request, request["resources"]
        self.made: list[Any] = []
        self.contents: dict[Place, Buffer | Image] = {}
        self.samplers: list[memory.Sampler] = []
        layouts = self.set_layouts()
        self.push = request.get("push", b"")
        ranges = [vk.VkPushConstantRange(vk.VK_SHADER_STAGE_ALL, 0, len(self.push))] if self.push else []
        info = vk.VkPipelineLayoutCreateInfo(pSetLayouts=layouts, pPushConstantRanges=ranges)
        self.layout = vk.vkCreatePipelineLayout(device.handle, info, None)
        self.made.append((vk.vkDestroyPipelineLayout, self.layout))
        self.sets = self.descriptor_sets(layouts)
        self.write_addresses()
        self.pipeline = self.make_pipeline()
        self.made.append((vk.vkDestroyPipeline, self.pipeline))

    def shader(self, stage: int, spirv: bytes) -> Any:
        info = vk.VkShaderModuleCreateInfo(codeSize=len(spirv), pCode=spirv)
        module = vk.vkCreateShaderModule(self.device.handle, info, None)
        self.made.append((vk.vkDestroyShaderModule, module))
        return vk.VkPipelineShaderStageCreateInfo(stage=stage, module=module, pName=self.request["entry"])

    def make_pipeline(self) -> Any:
        stage = self.shader(vk.VK_SHADER_STAGE_COMPUTE_BIT, self.request["spirv"])
        info = vk.VkComputePipelineCreateInfo(stage=stage, layout=self.layout)
        return vk.vkCreateComputePipelines(self.device.handle, ffi.NULL, 1, [info], None)[0]

    def command(self, commands: Any) -> None:
        vk.vkCmdDispatch(commands, *self.request["groups"])

    def set_layouts(self) -> list[Any]:
        layouts = []
        for number in range(max((place[0] for place in self.resources), default=-1) + 1):
            here = {place[1]: resource["kind"] for place, resource in self.resources.items() if place[0] == number}
            counts = {b: sum(place[:2] == (number, b) for place in self.resources) for b in here}
            bindings = [
                vk.VkDescriptorSetLayoutBinding(b, DESCRIPTORS[kind], counts[b], vk.VK_SHADER_STAGE_ALL, None)
                for b, kind in here.items()
            ]
            info = vk.VkDescriptorSetLayoutCreateInfo(pBindings=bindings)
            layouts.append(vk.vkCreateDescriptorSetLayout(self.device.handle, info, None))
            self.made.append((vk.vkDestroyDescriptorSetLayout, layouts[-1]))
        return layouts

    def descriptor_sets(self, layouts: list[Any]) -> list[Any]:
        if not self.resources:
            return []
        counts: dict[str, int] = {}
        for resource in self.resources.values():
            counts[resource["kind"]] = counts.get(resource["kind"], 0) + 1
        sizes = [vk.VkDescriptorPoolSize(DESCRIPTORS[kind], count) for kind, count in counts.items()]
        info = vk.VkDescriptorPoolCreateInfo(maxSets=len(layouts), pPoolSizes=sizes)
        pool = vk.vkCreateDescriptorPool(self.device.handle, info, None)
        self.made.append((vk.vkDestroyDescriptorPool, pool))
        allocate = vk.VkDescriptorSetAllocateInfo(descriptorPool=pool, pSetLayouts=layouts)
        sets = list(vk.vkAllocateDescriptorSets(self.device.handle, allocate))
        writes = [
            vk.VkWriteDescriptorSet(
                dstSet=sets[place[0]],
                dstBinding=place[1],
                dstArrayElement=place[2] if len(place) > 2 else 0,
                descriptorCount=1,
                descriptorType=DESCRIPTORS[resource["kind"]],
                **self.descriptor(place, resource),
            )
            for place, resource in self.resources.items()
        ]
        vk.vkUpdateDescriptorSets(self.device.handle, len(writes), writes, 0, None)
        return sets

    def write_addresses(self) -> None:
        """Write the addresses of other buffers to the beginning of each buffer that points to them."""
        for place, resource in self.resources.items():
            addresses = [self.contents[target].address() for target in resource["points_to"]]
            if addresses:
                data = struct.pack(f"<{len(addresses)}Q", *addresses)
                self.contents[place].write(np.frombuffer(data, np.uint8))

    def descriptor(self, place: Place, resource: Resource) -> dict[str, Any]:
        kind = resource["kind"]
        handle = view = ffi.NULL
        if kind == "scene":
            from tracing import Scene  # which needs this module

            scene = Scene(self.device, resource["instances"])
            self.made.append((lambda _device, made, _: made.destroy(), scene))
            handles = [scene.top.handle]
            return {"pNext": vk.VkWriteDescriptorSetAccelerationStructureKHR(pAccelerationStructures=handles)}
        if kind in ("sampler", "combined"):
            self.samplers.append(sampler(self.device, resource))
            handle = self.samplers[-1].handle
        if kind in ("storage", "uniform", "texels", "rw_texels"):
            buffer = self.contents[place] = Buffer(self.device, resource["data"])
            if kind.endswith("texels"):
                return {"pTexelBufferView": [buffer.view(format_of(resource["format"]).vulkan)]}
            return {"pBufferInfo": [vk.VkDescriptorBufferInfo(buffer.handle, 0, WHOLE)]}
        if kind != "sampler":
            image = self.contents[place] = Image(self.device, resource)
            view = image.view
        return {"pImageInfo": [vk.VkDescriptorImageInfo(handle, view, GENERAL)]}

    def run(self) -> dict[Place, bytes]:
        def record(commands: Any) -> None:
            vk.vkCmdBindPipeline(commands, self.point, self.pipeline)
            if self.sets:
                vk.vkCmdBindDescriptorSets(commands, self.point, self.layout, 0, len(self.sets), self.sets, 0, None)
            if self.push:
                data, size = ffi.from_buffer(self.push), len(self.push)
                vk.vkCmdPushConstants(commands, self.layout, vk.VK_SHADER_STAGE_ALL, 0, size, data)
            self.command(commands)

        self.device.submit(record)
        return {
            place: content.contents()
            for place, content in self.contents.items()
            if self.resources[place]["kind"] in ("storage", "rw_texels", "image")
        }

    def destroy(self) -> None:
        for destroy, made in reversed(self.made):
            destroy(self.device.handle, made, None)


class Drawing(Dispatch):
    """A graphics pipeline without attachments, whose pixel shader writes its inputs to a buffer."""

    point = vk.VK_PIPELINE_BIND_POINT_GRAPHICS

    def make_pipeline(self) -> Any:
        request = self.request
        width, height = request["size"]
        stages = [self.shader(STAGES[name], spirv) for name, spirv in request["stages"].items()]
        tessellation = vk.VkPipelineTessellationStateCreateInfo(patchControlPoints=request["patch"])
        area = vk.VkRect2D(vk.VkOffset2D(0, 0), vk.VkExtent2D(width, height))
        info = vk.VkGraphicsPipelineCreateInfo(
            pNext=vk.VkPipelineRenderingCreateInfo(viewMask=0),
            pStages=stages,
            pVertexInputState=vk.VkPipelineVertexInputStateCreateInfo(),
            pInputAssemblyState=vk.VkPipelineInputAssemblyStateCreateInfo(topology=TOPOLOGIES[request["topology"]]),
            pTessellationState=tessellation if request["patch"] else None,
            pViewportState=vk.VkPipelineViewportStateCreateInfo(
                pViewports=[vk.VkViewport(0, 0, width, height, 0, 1)], pScissors=[area]
            ),
            pRasterizationState=vk.VkPipelineRasterizationStateCreateInfo(
                polygonMode=vk.VK_POLYGON_MODE_FILL, cullMode=vk.VK_CULL_MODE_NONE, lineWidth=1.0
            ),
            pMultisampleState=vk.VkPipelineMultisampleStateCreateInfo(rasterizationSamples=vk.VK_SAMPLE_COUNT_1_BIT),
            layout=self.layout,
        )
        return vk.vkCreateGraphicsPipelines(self.device.handle, ffi.NULL, 1, [info], None)[0]

    def rendering(self, area: Any) -> Any:
        return vk.VkRenderingInfo(renderArea=area, layerCount=1, viewMask=0)

    def command(self, commands: Any) -> None:
        width, height = self.request["size"]
        area = vk.VkRect2D(vk.VkOffset2D(0, 0), vk.VkExtent2D(width, height))
        vk.vkCmdBeginRendering(commands, self.rendering(area))
        if "ms" in self.request["stages"]:
            draw = vk.vkGetDeviceProcAddr(self.device.handle, "vkCmdDrawMeshTasksEXT")
            draw(commands, self.request["count"], 1, 1)
        else:
            vk.vkCmdDraw(commands, self.request["count"], 1, 0, 0)
        vk.vkCmdEndRendering(commands)
