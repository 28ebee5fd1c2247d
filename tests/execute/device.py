"""A headless Vulkan device for compute shaders and for drawing without attachments.

Every image stays in the general layout and every submission is waited for: simple rather than fast.
"""

from __future__ import annotations

import os
import struct
from typing import Any

import vulkan as vk
from vulkan import ffi, lib

FORMATS = {
    "r32f": (vk.VK_FORMAT_R32_SFLOAT, 4),
    "rg32f": (vk.VK_FORMAT_R32G32_SFLOAT, 8),
    "rgba32f": (vk.VK_FORMAT_R32G32B32A32_SFLOAT, 16),
    "r16f": (vk.VK_FORMAT_R16_SFLOAT, 2),
    "rg16f": (vk.VK_FORMAT_R16G16_SFLOAT, 4),
    "rgba16f": (vk.VK_FORMAT_R16G16B16A16_SFLOAT, 8),
    "r16i": (vk.VK_FORMAT_R16_SINT, 2),
    "rg16i": (vk.VK_FORMAT_R16G16_SINT, 4),
    "rgba16i": (vk.VK_FORMAT_R16G16B16A16_SINT, 8),
    "r16u": (vk.VK_FORMAT_R16_UINT, 2),
    "rg16u": (vk.VK_FORMAT_R16G16_UINT, 4),
    "rgba16u": (vk.VK_FORMAT_R16G16B16A16_UINT, 8),
    "r32i": (vk.VK_FORMAT_R32_SINT, 4),
    "rg32i": (vk.VK_FORMAT_R32G32_SINT, 8),
    "rgba32i": (vk.VK_FORMAT_R32G32B32A32_SINT, 16),
    "r32u": (vk.VK_FORMAT_R32_UINT, 4),
    "rg32u": (vk.VK_FORMAT_R32G32_UINT, 8),
    "rgba32u": (vk.VK_FORMAT_R32G32B32A32_UINT, 16),
    "rgba8": (vk.VK_FORMAT_R8G8B8A8_UNORM, 4),
    "d32": (vk.VK_FORMAT_D32_SFLOAT, 4),
}
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
VIEWS = {
    "1d": vk.VK_IMAGE_VIEW_TYPE_1D,
    "2d": vk.VK_IMAGE_VIEW_TYPE_2D,
    "3d": vk.VK_IMAGE_VIEW_TYPE_3D,
    "cube": vk.VK_IMAGE_VIEW_TYPE_CUBE,
    "1d_array": vk.VK_IMAGE_VIEW_TYPE_1D_ARRAY,
    "2d_array": vk.VK_IMAGE_VIEW_TYPE_2D_ARRAY,
}
TYPES = {"1": vk.VK_IMAGE_TYPE_1D, "2": vk.VK_IMAGE_TYPE_2D, "3": vk.VK_IMAGE_TYPE_3D, "c": vk.VK_IMAGE_TYPE_2D}
ADDRESS = {
    "wrap": vk.VK_SAMPLER_ADDRESS_MODE_REPEAT,
    "mirror": vk.VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
    "clamp": vk.VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
}
COMPARE = {"less": vk.VK_COMPARE_OP_LESS, "less_equal": vk.VK_COMPARE_OP_LESS_OR_EQUAL}
FEATURES = [f"VkPhysicalDeviceVulkan1{minor}Features" for minor in (1, 2, 3)]
EXTENSIONS = {
    "VK_EXT_shader_atomic_float": "VkPhysicalDeviceShaderAtomicFloatFeaturesEXT",
    "VK_EXT_mesh_shader": "VkPhysicalDeviceMeshShaderFeaturesEXT",
    "VK_KHR_compute_shader_derivatives": "VkPhysicalDeviceComputeShaderDerivativesFeaturesNV",
    "VK_KHR_deferred_host_operations": "",
    "VK_KHR_acceleration_structure": "VkPhysicalDeviceAccelerationStructureFeaturesKHR",
    "VK_KHR_ray_query": "VkPhysicalDeviceRayQueryFeaturesKHR",
    "VK_KHR_ray_tracing_pipeline": "VkPhysicalDeviceRayTracingPipelineFeaturesKHR",
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
BUFFER_ADDRESS, MEMORY_ADDRESS = 0x20000, 2
STORAGE_OF_STRUCTURES, INPUT_OF_STRUCTURES, SHADER_TABLE = 0x100000, 0x80000, 0x400
"""VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE, …_BUILD_INPUT_READ_ONLY, _SHADER_BINDING_TABLE_BIT_KHR."""
"""VK_BUFFER_USAGE_ and VK_MEMORY_ALLOCATE_…DEVICE_ADDRESS_BIT, which the binding has without their values."""
WHOLE = 0xFFFFFFFFFFFFFFFF
GENERAL = vk.VK_IMAGE_LAYOUT_GENERAL
HOST = vk.VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | vk.VK_MEMORY_PROPERTY_HOST_COHERENT_BIT

Resource = dict[str, Any]
Place = tuple[int, int] | tuple[int, int, int]
"""(set, binding), and the element of an array"""


def _driver(physical: Any) -> str:
    """What the driver says of its version, such as ``Mesa 22.3.6 (LLVM 15.0.6)``."""
    driver = vk.VkPhysicalDeviceDriverProperties()
    asked = vk.VkPhysicalDeviceProperties2(pNext=driver)
    lib.vkGetPhysicalDeviceProperties2(physical, ffi.addressof(asked))
    return ffi.string(driver.driverInfo).decode()


class Device:
    """The device, its queue, and what dispatches need of both."""

    def __init__(self) -> None:
        app = vk.VkApplicationInfo(pApplicationName="hlsl_tool tests", apiVersion=vk.VK_MAKE_VERSION(1, 3, 0))
        self.instance = vk.vkCreateInstance(vk.VkInstanceCreateInfo(pApplicationInfo=app), None)
        found = [(p, vk.vkGetPhysicalDeviceProperties(p)) for p in vk.vkEnumeratePhysicalDevices(self.instance)]
        if not found:
            raise RuntimeError("Vulkan has no device")
        wanted = os.environ.get("HLSL_TOOL_TEST_DEVICE", "llvmpipe").lower()
        self.physical, properties = min(found, key=lambda device: wanted not in device[1].deviceName.lower())
        self.name = properties.deviceName
        self.driver = _driver(self.physical)
        memory = vk.vkGetPhysicalDeviceMemoryProperties(self.physical)
        self.memory_flags = [memory.memoryTypes[i].propertyFlags for i in range(memory.memoryTypeCount)]
        families = vk.vkGetPhysicalDeviceQueueFamilyProperties(self.physical)
        wanted_queues = vk.VK_QUEUE_COMPUTE_BIT | vk.VK_QUEUE_GRAPHICS_BIT
        queues = [f.queueFlags & wanted_queues for f in families]
        family = queues.index(wanted_queues if wanted_queues in queues else vk.VK_QUEUE_COMPUTE_BIT)
        present = {e.extensionName for e in vk.vkEnumerateDeviceExtensionProperties(self.physical, None)}
        extensions = [name for name in EXTENSIONS if name in present]
        chain = None
        structs = []
        for name in FEATURES + [EXTENSIONS[name] for name in extensions if EXTENSIONS[name]]:
            chain = getattr(vk, name)(pNext=chain)
            structs.append(chain)
        features = vk.VkPhysicalDeviceFeatures2(pNext=chain)
        lib.vkGetPhysicalDeviceFeatures2(self.physical, ffi.addressof(features))
        self.features = {
            key
            for part in [*structs, features.features]
            for key, _ in ffi.typeof(part).fields
            if key not in ("sType", "pNext") and getattr(part, key) == 1
        }
        groups = vk.VkPhysicalDeviceSubgroupProperties()
        lib.vkGetPhysicalDeviceProperties2(self.physical, ffi.addressof(vk.VkPhysicalDeviceProperties2(pNext=groups)))
        kinds = ("Basic", "Vote", "Arithmetic", "Ballot", "Shuffle", "ShuffleRelative", "Clustered", "Quad")
        self.features |= {f"subgroup{kind}" for i, kind in enumerate(kinds) if groups.supportedOperations >> i & 1}
        queue = vk.VkDeviceQueueCreateInfo(queueFamilyIndex=family, pQueuePriorities=[1.0])
        info = vk.VkDeviceCreateInfo(pNext=features, pQueueCreateInfos=[queue], ppEnabledExtensionNames=extensions)
        self.handle = vk.vkCreateDevice(self.physical, info, None)
        self.queue = vk.vkGetDeviceQueue(self.handle, family, 0)
        self.pool = vk.vkCreateCommandPool(self.handle, vk.VkCommandPoolCreateInfo(queueFamilyIndex=family), None)

    def allocate(self, needs: Any, flags: int, *, addressed: bool = False) -> Any:
        for index, have in enumerate(self.memory_flags):
            if needs.memoryTypeBits >> index & 1 and have & flags == flags:
                more = vk.VkMemoryAllocateFlagsInfo(flags=MEMORY_ADDRESS)
                info = vk.VkMemoryAllocateInfo(
                    pNext=more if addressed else None, allocationSize=needs.size, memoryTypeIndex=index
                )
                return vk.vkAllocateMemory(self.handle, info, None)
        raise RuntimeError("no memory of the kind that is needed")

    def submit(self, record: Any) -> None:
        """Record commands between two barriers for everything, run them, and wait."""
        info = vk.VkCommandBufferAllocateInfo(
            commandPool=self.pool, level=vk.VK_COMMAND_BUFFER_LEVEL_PRIMARY, commandBufferCount=1
        )
        (commands,) = vk.vkAllocateCommandBuffers(self.handle, info)
        vk.vkBeginCommandBuffer(commands, vk.VkCommandBufferBeginInfo())
        self.barrier(commands)
        record(commands)
        self.barrier(commands)
        vk.vkEndCommandBuffer(commands)
        vk.vkQueueSubmit(self.queue, 1, [vk.VkSubmitInfo(pCommandBuffers=[commands])], ffi.NULL)
        vk.vkQueueWaitIdle(self.queue)
        vk.vkFreeCommandBuffers(self.handle, self.pool, 1, [commands])

    @staticmethod
    def barrier(commands: Any, images: list[Any] | None = None) -> None:
        stages = vk.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | vk.VK_PIPELINE_STAGE_HOST_BIT
        access = vk.VK_ACCESS_MEMORY_READ_BIT | vk.VK_ACCESS_MEMORY_WRITE_BIT
        memory = [vk.VkMemoryBarrier(srcAccessMask=access, dstAccessMask=access)]
        vk.vkCmdPipelineBarrier(commands, stages, stages, 0, 1, memory, 0, None, len(images or ()), images or None)


class Buffer:
    """Host-visible memory with every usage."""

    def __init__(self, device: Device, data: bytes, *, usage: int = 0) -> None:
        self.device, self.size = device, max(len(data), 4)
        usage |= (
            vk.VK_BUFFER_USAGE_TRANSFER_SRC_BIT
            | vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT
            | vk.VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT
            | vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
            | vk.VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT
            | vk.VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT
            | vk.VK_BUFFER_USAGE_VERTEX_BUFFER_BIT
        )
        addressed = "bufferDeviceAddress" in device.features
        if addressed:
            usage |= BUFFER_ADDRESS
        if "accelerationStructure" in device.features:
            usage |= INPUT_OF_STRUCTURES
        if "rayTracingPipeline" in device.features:
            usage |= SHADER_TABLE
        info = vk.VkBufferCreateInfo(size=self.size, usage=usage, sharingMode=vk.VK_SHARING_MODE_EXCLUSIVE)
        self.handle = vk.vkCreateBuffer(device.handle, info, None)
        needs = vk.vkGetBufferMemoryRequirements(device.handle, self.handle)
        self.memory = device.allocate(needs, HOST, addressed=addressed)
        vk.vkBindBufferMemory(device.handle, self.handle, self.memory, 0)
        self.mapped = vk.vkMapMemory(device.handle, self.memory, 0, self.size, 0)
        self.mapped[: len(data)] = data
        self.view: Any = None

    def texels(self, name: str) -> Any:
        info = vk.VkBufferViewCreateInfo(buffer=self.handle, format=FORMATS[name][0], offset=0, range=WHOLE)
        self.view = vk.vkCreateBufferView(self.device.handle, info, None)
        return self.view

    def address(self) -> int:
        info = vk.VkBufferDeviceAddressInfo(buffer=self.handle)
        return int(lib.vkGetBufferDeviceAddress(self.device.handle, ffi.addressof(info)))

    def read(self) -> bytes:
        return bytes(self.mapped[:])

    def destroy(self) -> None:
        if self.view is not None:
            vk.vkDestroyBufferView(self.device.handle, self.view, None)
        vk.vkDestroyBuffer(self.device.handle, self.handle, None)
        vk.vkFreeMemory(self.device.handle, self.memory, None)


class Image:
    """An image with its view.  The data is tightly packed: levels from the largest down, in each all layers."""

    def __init__(self, device: Device, resource: Resource) -> None:
        self.device = device
        name = resource["format"]
        self.format, self.texel = FORMATS[name]
        self.extent, self.levels, self.layers = resource["size"], resource["levels"], resource["layers"]
        view = resource["view"]
        aspect = vk.VK_IMAGE_ASPECT_DEPTH_BIT if name == "d32" else vk.VK_IMAGE_ASPECT_COLOR_BIT
        self.aspect = aspect
        usage = vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT | vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT | vk.VK_IMAGE_USAGE_SAMPLED_BIT
        if resource["kind"] == "image":
            usage |= vk.VK_IMAGE_USAGE_STORAGE_BIT
        if resource["kind"] == "colour":
            usage |= vk.VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
        if resource["kind"] == "depth":
            usage |= vk.VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
        info = vk.VkImageCreateInfo(
            flags=vk.VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT if view == "cube" else 0,
            imageType=TYPES[view[0]],
            format=self.format,
            extent=vk.VkExtent3D(*self.extent),
            mipLevels=self.levels,
            arrayLayers=self.layers,
            samples=1,
            tiling=vk.VK_IMAGE_TILING_OPTIMAL,
            usage=usage,
            sharingMode=vk.VK_SHARING_MODE_EXCLUSIVE,
            initialLayout=vk.VK_IMAGE_LAYOUT_UNDEFINED,
        )
        self.handle = vk.vkCreateImage(device.handle, info, None)
        needs = vk.vkGetImageMemoryRequirements(device.handle, self.handle)
        self.memory = device.allocate(needs, vk.VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)
        vk.vkBindImageMemory(device.handle, self.handle, self.memory, 0)
        whole = vk.VkImageSubresourceRange(aspect, 0, self.levels, 0, self.layers)
        create = vk.VkImageViewCreateInfo(
            image=self.handle,
            viewType=VIEWS[view],
            format=self.format,
            components=vk.VkComponentMapping(0, 0, 0, 0),
            subresourceRange=whole,
        )
        self.view = vk.vkCreateImageView(device.handle, create, None)
        regions, size = self.regions()
        staging = Buffer(device, bytes(resource["data"])[:size].ljust(size, b"\0"))
        first = vk.VkImageMemoryBarrier(
            srcAccessMask=0,
            dstAccessMask=vk.VK_ACCESS_MEMORY_READ_BIT | vk.VK_ACCESS_MEMORY_WRITE_BIT,
            oldLayout=vk.VK_IMAGE_LAYOUT_UNDEFINED,
            newLayout=GENERAL,
            srcQueueFamilyIndex=0xFFFFFFFF,
            dstQueueFamilyIndex=0xFFFFFFFF,
            image=self.handle,
            subresourceRange=whole,
        )

        def record(commands: Any) -> None:
            device.barrier(commands, [first])
            vk.vkCmdCopyBufferToImage(commands, staging.handle, self.handle, GENERAL, len(regions), regions)

        device.submit(record)
        staging.destroy()

    def regions(self) -> tuple[list[Any], int]:
        """What to copy for each level, and the bytes of all of them."""
        out, offset = [], 0
        for level in range(self.levels):
            width, height, depth = (max(1, side >> level) for side in self.extent)
            out.append(
                vk.VkBufferImageCopy(
                    bufferOffset=offset,
                    bufferRowLength=0,
                    bufferImageHeight=0,
                    imageSubresource=vk.VkImageSubresourceLayers(self.aspect, level, 0, self.layers),
                    imageOffset=vk.VkOffset3D(0, 0, 0),
                    imageExtent=vk.VkExtent3D(width, height, depth),
                )
            )
            offset += width * height * depth * self.layers * self.texel
        return out, offset

    def read(self) -> bytes:
        regions, size = self.regions()
        staging = Buffer(self.device, bytes(size))
        self.device.submit(
            lambda commands: vk.vkCmdCopyImageToBuffer(
                commands, self.handle, GENERAL, staging.handle, len(regions), regions
            )
        )
        data = staging.read()
        staging.destroy()
        return data

    def destroy(self) -> None:
        vk.vkDestroyImageView(self.device.handle, self.view, None)
        vk.vkDestroyImage(self.device.handle, self.handle, None)
        vk.vkFreeMemory(self.device.handle, self.memory, None)


class Sampler:
    def __init__(self, device: Device, resource: Resource) -> None:
        self.device = device
        linear = int(resource["filter"] == "linear")
        address = ADDRESS[resource["address"]]
        compare = resource["compare"]
        info = vk.VkSamplerCreateInfo(
            magFilter=linear,
            minFilter=linear,
            mipmapMode=linear,
            addressModeU=address,
            addressModeV=address,
            addressModeW=address,
            maxAnisotropy=1.0,
            compareEnable=int(bool(compare)),
            compareOp=COMPARE[compare] if compare else vk.VK_COMPARE_OP_NEVER,
            maxLod=1000.0,
        )
        self.handle = vk.vkCreateSampler(device.handle, info, None)

    def destroy(self) -> None:
        vk.vkDestroySampler(self.device.handle, self.handle, None)


class Dispatch:
    """One compute pipeline with its descriptors; `run` gives back the contents of what a shader may write."""

    point = vk.VK_PIPELINE_BIND_POINT_COMPUTE

    def __init__(self, device: Device, request: dict[str, Any]) -> None:
        self.device, self.request, self.resources = device, request, request["resources"]
        self.made: list[Any] = []
        self.contents: dict[Place, Buffer | Image] = {}
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
        """A buffer that points to others begins with their addresses."""
        for place, resource in self.resources.items():
            addresses = [self.contents[target].address() for target in resource["points_to"]]
            if addresses:
                data = struct.pack(f"<{len(addresses)}Q", *addresses)
                self.contents[place].mapped[: len(data)] = data

    def descriptor(self, place: Place, resource: Resource) -> dict[str, Any]:
        kind = resource["kind"]
        sampler = view = ffi.NULL
        if kind == "scene":
            from tracing import Scene  # which needs this module

            scene = Scene(self.device, resource["instances"])
            self.made.append((lambda _device, made, _: made.destroy(), scene))
            handles = [scene.top.handle]
            return {"pNext": vk.VkWriteDescriptorSetAccelerationStructureKHR(pAccelerationStructures=handles)}
        if kind in ("sampler", "combined"):
            made = Sampler(self.device, resource)
            self.made.append((lambda _device, sampler, _: sampler.destroy(), made))
            sampler = made.handle
        if kind in ("storage", "uniform", "texels", "rw_texels"):
            buffer = self.contents[place] = Buffer(self.device, resource["data"])
            if kind.endswith("texels"):
                return {"pTexelBufferView": [buffer.texels(resource["format"])]}
            return {"pBufferInfo": [vk.VkDescriptorBufferInfo(buffer.handle, 0, WHOLE)]}
        if kind != "sampler":
            image = self.contents[place] = Image(self.device, resource)
            view = image.view
        return {"pImageInfo": [vk.VkDescriptorImageInfo(sampler, view, GENERAL)]}

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
            place: content.read()
            for place, content in self.contents.items()
            if self.resources[place]["kind"] in ("storage", "rw_texels", "image")
        }

    def destroy(self) -> None:
        for destroy, made in reversed(self.made):
            destroy(self.device.handle, made, None)
        for content in self.contents.values():
            content.destroy()


class Drawing(Dispatch):
    """A graphics pipeline that draws to nothing: the pixel shader writes what it sees to a buffer."""

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
