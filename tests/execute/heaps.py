"""Run shaders that take all resources from descriptor heaps (VK_EXT_descriptor_heap), in the device process.

The Python binding lacks the extension, so its structures are written as 64-bit words.
"""

from __future__ import annotations

from typing import Any

import vulkan as vk
from device import DESCRIPTORS, GENERAL, Buffer, Device, Dispatch, Image, Place, Resource, format_of
from tracing import Scene, checked
from vulkan import ffi, lib

RESOURCES, SAMPLERS = 0, 1
"""The first number of a resource's key; the second is its index in the heap."""
TEXELS_INFO, IMAGE_INFO, RESOURCE_INFO, BIND_INFO = (1000135000 + n for n in range(4))
MAPPING, MAPPINGS, PROPERTIES = 1000135005, 1000135006, 1000135008
"""Numbers of structures."""
HEAP_USAGE = 0x10000000
"""VK_BUFFER_USAGE_DESCRIPTOR_HEAP_BIT_EXT."""
ANY = 0x7FFFFFFF
"""VK_SPIRV_RESOURCE_TYPE_ALL_EXT."""
AT_OFFSET = 0
"""VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT."""
HEAP_PIPELINE = 0x1000000000
"""VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT."""
ALIGNMENTS = slice(2, 4)
RESERVED = {SAMPLERS: 6, RESOURCES: 8}
SIZES = {SAMPLERS: slice(9, 10), RESOURCES: slice(10, 12)}
"""Words of the properties, which start with the alignments of the heaps."""


def words(*values: int) -> Any:
    return ffi.new("uint64_t[]", values)


def pointer(made: Any) -> int:
    return int(ffi.cast("uintptr_t", made))


def function(device: Device, name: str, kind: str) -> Any:
    return ffi.cast(kind, lib.vkGetDeviceProcAddr(device.handle, name.encode()))


class Heap:
    """A buffer of descriptors, followed by the range that the driver reserves."""

    def __init__(self, device: Device, which: int, count: int, properties: list[int], stride: int) -> None:
        self.stride = stride or max(properties[SIZES[which]])
        used = -(-self.stride * count // 4096) * 4096
        reserved = properties[RESERVED[which]]
        self.buffer = Buffer(device, bytes(used + reserved), usage=HEAP_USAGE)
        address = self.buffer.address()
        if address % max(properties[ALIGNMENTS]):
            raise RuntimeError("a buffer is not aligned as a descriptor heap")
        self.binding = words(BIND_INFO, 0, address, used + reserved, used, reserved)

    def slot(self, index: int) -> Any:
        """Return the host address range of the descriptor at an index."""
        return words(pointer(ffi.from_buffer(self.buffer.bytes)) + index * self.stride, self.stride)


class Heaps(Dispatch):
    """A compute shader without descriptor sets: all resources are in the resource heap or in the sampler heap.

    The request identifies a resource by (`RESOURCES` or `SAMPLERS`, index in that heap). Its ``heaps`` are the strides
    of both heaps in bytes, 0 for the size of the largest descriptor. Its ``mapped`` maps the (set, binding) that a
    shader declares to an index in the resource heap.
    """

    def set_layouts(self) -> list[Any]:
        return []

    def descriptor_sets(self, layouts: list[Any]) -> list[Any]:
        device = self.device
        properties = words(PROPERTIES, *[0] * 31)
        asked = vk.VkPhysicalDeviceProperties2()
        asked.pNext = ffi.cast("void *", properties)
        lib.vkGetPhysicalDeviceProperties2(device.physical, ffi.addressof(asked))
        counts = {which: 1 + max((n for h, n, *_ in self.resources if h == which), default=0) for which in RESERVED}
        strides, known = self.request["heaps"], list(properties)
        self.heaps = {which: Heap(device, which, count, known, strides[which]) for which, count in counts.items()}
        self.held: list[Any] = []
        for place, resource in self.resources.items():
            kind = "Sampler" if place[0] == SAMPLERS else "Resource"
            info = self.sampler(resource) if place[0] == SAMPLERS else self.information(place, resource)
            write = function(device, f"vkWrite{kind}DescriptorsEXT", "int (*)(VkDevice, uint32_t, void *, void *)")
            checked(write(device.handle, 1, info, self.heaps[place[0]].slot(place[1])), "writing a descriptor")
        return []

    def keep(self, made: Any) -> int:
        """Return the address of an object, and keep the object alive as long as this one."""
        self.held.append(made)
        return pointer(made)

    def sampler(self, resource: Resource) -> Any:
        linear = resource["filter"] == "linear"
        mode = vk.VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE
        info = vk.VkSamplerCreateInfo(
            magFilter=vk.VK_FILTER_LINEAR if linear else vk.VK_FILTER_NEAREST,
            minFilter=vk.VK_FILTER_LINEAR if linear else vk.VK_FILTER_NEAREST,
            addressModeU=mode,
            addressModeV=mode,
            addressModeW=mode,
        )
        self.held.append(info)
        return ffi.addressof(info)

    def information(self, place: Place, resource: Resource) -> Any:
        kind = resource["kind"]
        if kind == "scene":
            scene = Scene(self.device, resource["instances"])
            self.made.append((lambda _device, made, _: made.destroy(), scene))
            data = self.keep(words(scene.top.address(), scene.top.memory.size))
        elif kind in ("texture", "image"):
            image = self.contents[place] = Image(self.device, resource)
            view = vk.VkImageViewCreateInfo(
                image=image.handle,
                viewType=vk.VK_IMAGE_VIEW_TYPE_2D,
                format=image.format,
                components=vk.VkComponentMapping(0, 0, 0, 0),
                subresourceRange=vk.VkImageSubresourceRange(image.aspect, 0, 1, 0, 1),
            )
            self.held.append(view)
            data = self.keep(words(IMAGE_INFO, 0, pointer(ffi.addressof(view)), GENERAL))
        else:
            buffer = self.contents[place] = Buffer(self.device, resource["data"])
            found = (buffer.address(), buffer.size)
            if kind.endswith("texels"):
                form = getattr(vk, format_of(resource["format"]).vulkan)
                data = self.keep(words(TEXELS_INFO, 0, form, *found))
            else:
                data = self.keep(words(*found))
        return words(RESOURCE_INFO, 0, DESCRIPTORS[kind], data)

    def make_pipeline(self) -> Any:
        stage = self.shader(vk.VK_SHADER_STAGE_COMPUTE_BIT, self.request["spirv"])
        mapped = [
            word
            for (number, binding), index in self.request["mapped"].items()
            for word in (MAPPING, 0, number | binding << 32, 1 | ANY << 32, AT_OFFSET, self.offset(index), *[0] * 6)
        ]
        if mapped:
            mappings = words(MAPPINGS, 0, len(mapped) // 12, self.keep(words(*mapped)))
            stage.pNext = ffi.cast("void *", self.keep(mappings))
        flags = vk.VkPipelineCreateFlags2CreateInfoKHR(flags=HEAP_PIPELINE)
        info = vk.VkComputePipelineCreateInfo(pNext=flags, stage=stage, layout=ffi.NULL)
        return vk.vkCreateComputePipelines(self.device.handle, ffi.NULL, 1, [info], None)[0]

    def offset(self, index: int) -> int:
        """Return the place of a descriptor in the resource heap as a 64-bit word for a mapping.

        The lower half is the offset in bytes of the descriptor at ``index``, the upper half the stride of the heap.

        A mapping to an array of descriptors needs the stride.
        """
        stride = self.heaps[RESOURCES].stride
        return stride * index | stride << 32

    def command(self, commands: Any) -> None:
        for which, name in ((RESOURCES, "Resource"), (SAMPLERS, "Sampler")):
            bind = function(self.device, f"vkCmdBind{name}HeapEXT", "void (*)(VkCommandBuffer, void *)")
            bind(commands, self.heaps[which].binding)
        super().command(commands)
