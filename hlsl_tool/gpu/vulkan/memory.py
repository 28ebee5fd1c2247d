"""Buffers, images and samplers on a Vulkan device."""

from __future__ import annotations

from typing import Any

import numpy as np
import vulkan as vk
from vulkan import ffi, lib

from hlsl_tool.gpu.backend import Bytes, ImageShape, SamplerState

from .device import HOST, LOCAL, WHOLE, Device, barrier

GENERAL = vk.VK_IMAGE_LAYOUT_GENERAL
_CACHED = vk.VK_MEMORY_PROPERTY_HOST_CACHED_BIT
_ADDRESS = 0x20000
"""VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT, which the binding has without its value."""
_USAGE = (
    vk.VK_BUFFER_USAGE_TRANSFER_SRC_BIT
    | vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT
    | vk.VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT
    | vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
    | vk.VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT
    | vk.VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT
)
_VIEWS = {
    "1d": vk.VK_IMAGE_VIEW_TYPE_1D,
    "2d": vk.VK_IMAGE_VIEW_TYPE_2D,
    "3d": vk.VK_IMAGE_VIEW_TYPE_3D,
    "cube": vk.VK_IMAGE_VIEW_TYPE_CUBE,
    "1d-array": vk.VK_IMAGE_VIEW_TYPE_1D_ARRAY,
    "2d-array": vk.VK_IMAGE_VIEW_TYPE_2D_ARRAY,
    "cube-array": vk.VK_IMAGE_VIEW_TYPE_CUBE_ARRAY,
}
_TYPES = {"1": vk.VK_IMAGE_TYPE_1D, "2": vk.VK_IMAGE_TYPE_2D, "3": vk.VK_IMAGE_TYPE_3D, "c": vk.VK_IMAGE_TYPE_2D}
_ADDRESSING = {
    "wrap": vk.VK_SAMPLER_ADDRESS_MODE_REPEAT,
    "mirror": vk.VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
    "clamp": vk.VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
}
_COMPARISONS = {
    name: getattr(vk, f"VK_COMPARE_OP_{constant}")
    for name, constant in {
        "": "NEVER", "never": "NEVER", "less": "LESS", "equal": "EQUAL", "less-equal": "LESS_OR_EQUAL",
        "greater": "GREATER", "not-equal": "NOT_EQUAL", "greater-equal": "GREATER_OR_EQUAL", "always": "ALWAYS",
    }.items()
}  # fmt: skip


class Buffer:
    """Host-visible memory as a buffer, with every usage that compute shaders need."""

    def __init__(self, device: Device, size: int, usage: int = 0) -> None:
        self.device, self.size = device, max(size, 4)
        addressed = "bufferDeviceAddress" in device.features
        usage |= _USAGE | (_ADDRESS if addressed else 0)
        info = vk.VkBufferCreateInfo(size=self.size, usage=usage, sharingMode=vk.VK_SHARING_MODE_EXCLUSIVE)
        self.handle = vk.vkCreateBuffer(device.handle, info, None)
        needs = vk.vkGetBufferMemoryRequirements(device.handle, self.handle)
        memory = device.allocate(needs, HOST | LOCAL | _CACHED, HOST | _CACHED, HOST | LOCAL, HOST, addressed=addressed)
        device.own(memory, vk.vkFreeMemory, self)
        device.own(self.handle, vk.vkDestroyBuffer, self)
        vk.vkBindBufferMemory(device.handle, self.handle, memory, 0)
        self.bytes: Bytes = np.frombuffer(vk.vkMapMemory(device.handle, memory, 0, self.size, 0), np.uint8)
        """The memory itself."""
        self._views: dict[str, Any] = {}

    def write(self, data: Bytes) -> None:
        """Copy bytes to the start of the buffer."""
        self.bytes[: data.size] = data

    def read(self) -> Bytes:
        """Return a view of the bytes; the next run of a kernel may change them."""
        return self.bytes

    def view(self, format_name: str) -> Any:
        """Return the buffer view for texel buffers with this format (``VK_FORMAT_…``)."""
        if format_name not in self._views:
            info = vk.VkBufferViewCreateInfo(buffer=self.handle, format=getattr(vk, format_name), offset=0, range=WHOLE)
            view = vk.vkCreateBufferView(self.device.handle, info, None)
            self._views[format_name] = self.device.own(view, vk.vkDestroyBufferView, self)
        return self._views[format_name]

    def address(self) -> int:
        info = vk.VkBufferDeviceAddressInfo(buffer=self.handle)
        return int(lib.vkGetBufferDeviceAddress(self.device.handle, ffi.addressof(info)))


class Image:
    """An image in the general layout, with a staging buffer for its texels."""

    def __init__(self, device: Device, shape: ImageShape, *, usage: int = 0, aspect: int = 0) -> None:
        self.device, self.shape = device, shape
        self.aspect = aspect or vk.VK_IMAGE_ASPECT_COLOR_BIT
        self.format = getattr(vk, shape.format.vulkan)
        usage |= vk.VK_IMAGE_USAGE_TRANSFER_SRC_BIT | vk.VK_IMAGE_USAGE_TRANSFER_DST_BIT
        usage |= vk.VK_IMAGE_USAGE_SAMPLED_BIT
        if shape.storage:
            usage |= vk.VK_IMAGE_USAGE_STORAGE_BIT
        info = vk.VkImageCreateInfo(
            flags=vk.VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT if shape.view.startswith("cube") else 0,
            imageType=_TYPES[shape.view[0]],
            format=self.format,
            extent=vk.VkExtent3D(*shape.size),
            mipLevels=shape.levels,
            arrayLayers=shape.layers,
            samples=1,
            tiling=vk.VK_IMAGE_TILING_OPTIMAL,
            usage=usage,
            sharingMode=vk.VK_SHARING_MODE_EXCLUSIVE,
            initialLayout=vk.VK_IMAGE_LAYOUT_UNDEFINED,
        )
        self.handle = vk.vkCreateImage(device.handle, info, None)
        needs = vk.vkGetImageMemoryRequirements(device.handle, self.handle)
        memory = device.own(device.allocate(needs, LOCAL), vk.vkFreeMemory, self)
        device.own(self.handle, vk.vkDestroyImage, self)
        vk.vkBindImageMemory(device.handle, self.handle, memory, 0)
        whole = vk.VkImageSubresourceRange(self.aspect, 0, shape.levels, 0, shape.layers)
        view = vk.VkImageViewCreateInfo(
            image=self.handle,
            viewType=_VIEWS[shape.view],
            format=self.format,
            components=vk.VkComponentMapping(0, 0, 0, 0),
            subresourceRange=whole,
        )
        self.view = device.own(vk.vkCreateImageView(device.handle, view, None), vk.vkDestroyImageView, self)
        self.staging = Buffer(device, shape.bytes)
        self.pending = False
        """Whether the buffer has texels that the image lacks."""
        self._regions = self._copies()
        self._prepare(whole)

    def _prepare(self, whole: Any) -> None:
        access = vk.VK_ACCESS_MEMORY_READ_BIT | vk.VK_ACCESS_MEMORY_WRITE_BIT
        first = vk.VkImageMemoryBarrier(
            srcAccessMask=0,
            dstAccessMask=access,
            oldLayout=vk.VK_IMAGE_LAYOUT_UNDEFINED,
            newLayout=GENERAL,
            srcQueueFamilyIndex=0xFFFFFFFF,
            dstQueueFamilyIndex=0xFFFFFFFF,
            image=self.handle,
            subresourceRange=whole,
        )
        self.device.submit(lambda commands: barrier(commands, [first]))

    def _copies(self) -> list[Any]:
        """Return the copy regions of all mip levels."""
        regions, offset = [], 0
        for level, (extent, size) in enumerate(self.shape.level_sizes()):
            place = vk.VkImageSubresourceLayers(self.aspect, level, 0, self.shape.layers)
            regions.append(vk.VkBufferImageCopy(offset, 0, 0, place, vk.VkOffset3D(0, 0, 0), vk.VkExtent3D(*extent)))
            offset += size
        return regions

    def write(self, data: Bytes) -> None:
        """Set the texels of all mip levels; the next run of a kernel copies them to the image."""
        self.staging.write(data)
        self.pending = True

    def read(self) -> Bytes:
        """Return a view of the texels that were last downloaded."""
        return self.staging.bytes

    def download(self) -> None:
        """Copy the texels from the image to the staging buffer, for ``read``."""
        self.device.submit(self.record_download)

    def upload(self) -> None:
        """Copy texels that were written, but that no run of a kernel has copied yet, to the image."""
        self.device.submit(self.record_upload)
        self.pending = False

    def record_upload(self, commands: Any) -> None:
        """Record the copy from the staging buffer to the image."""
        regions = self._regions
        vk.vkCmdCopyBufferToImage(commands, self.staging.handle, self.handle, GENERAL, len(regions), regions)

    def record_download(self, commands: Any) -> None:
        """Record the copy from the image to the staging buffer."""
        regions = self._regions
        vk.vkCmdCopyImageToBuffer(commands, self.handle, GENERAL, self.staging.handle, len(regions), regions)


class Sampler:
    """A sampler on a Vulkan device."""

    def __init__(self, device: Device, state: SamplerState) -> None:
        linear = int(state.filter == "linear")
        address = _ADDRESSING[state.address]
        info = vk.VkSamplerCreateInfo(
            magFilter=linear,
            minFilter=linear,
            mipmapMode=linear,
            addressModeU=address,
            addressModeV=address,
            addressModeW=address,
            maxAnisotropy=1.0,
            compareEnable=int(bool(state.compare)),
            compareOp=_COMPARISONS[state.compare],
            maxLod=1000.0,
        )
        self.handle = device.own(vk.vkCreateSampler(device.handle, info, None), vk.vkDestroySampler, self)
