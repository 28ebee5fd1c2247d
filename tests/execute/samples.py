"""Multisampled attachments and the state of blending, in the device process."""

from __future__ import annotations

from typing import Any

import vulkan as vk
from device import GENERAL, format_of, vulkan_format

_FACTORS = {
    "zero": vk.VK_BLEND_FACTOR_ZERO,
    "one": vk.VK_BLEND_FACTOR_ONE,
    "src": vk.VK_BLEND_FACTOR_SRC_COLOR,
    "one-minus-src": vk.VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR,
    "src-alpha": vk.VK_BLEND_FACTOR_SRC_ALPHA,
    "one-minus-src-alpha": vk.VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
    "dst": vk.VK_BLEND_FACTOR_DST_COLOR,
    "one-minus-dst": vk.VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR,
    "dst-alpha": vk.VK_BLEND_FACTOR_DST_ALPHA,
    "one-minus-dst-alpha": vk.VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA,
    "src-alpha-saturated": vk.VK_BLEND_FACTOR_SRC_ALPHA_SATURATE,
    "constant": vk.VK_BLEND_FACTOR_CONSTANT_COLOR,
    "one-minus-constant": vk.VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR,
    "src1": vk.VK_BLEND_FACTOR_SRC1_COLOR,
    "one-minus-src1": vk.VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR,
    "src1-alpha": vk.VK_BLEND_FACTOR_SRC1_ALPHA,
    "one-minus-src1-alpha": vk.VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA,
}
_OPERATIONS = {
    "add": vk.VK_BLEND_OP_ADD,
    "subtract": vk.VK_BLEND_OP_SUBTRACT,
    "reverse-subtract": vk.VK_BLEND_OP_REVERSE_SUBTRACT,
    "min": vk.VK_BLEND_OP_MIN,
    "max": vk.VK_BLEND_OP_MAX,
}


def blend_state(blend: dict[str, str] | None, *, writes: bool) -> Any:
    """Return the state of a target; `blend` has the members of the interpreter's `Blend`, or is `None`."""
    if blend is None:
        return vk.VkPipelineColorBlendAttachmentState(blendEnable=0, colorWriteMask=15 if writes else 0)
    source, destination, op = blend["source"], blend["destination"], blend["op"]
    return vk.VkPipelineColorBlendAttachmentState(
        blendEnable=1,
        srcColorBlendFactor=_FACTORS[source],
        dstColorBlendFactor=_FACTORS[destination],
        colorBlendOp=_OPERATIONS[op],
        srcAlphaBlendFactor=_FACTORS[blend["alpha_source"] or source],
        dstAlphaBlendFactor=_FACTORS[blend["alpha_destination"] or destination],
        alphaBlendOp=_OPERATIONS[blend["alpha_op"] or op],
        colorWriteMask=sum(1 << "rgba".index(channel) for channel in blend["mask"]) if writes else 0,
    )


class Attachment:
    """An image with several samples, which is only drawn into."""

    def __init__(self, device: Any, name: str, size: tuple[int, int], samples: int, made: list[Any]) -> None:
        is_depth = name == "d32"
        usage = "DEPTH_STENCIL" if is_depth else "COLOR"
        info = vk.VkImageCreateInfo(
            imageType=vk.VK_IMAGE_TYPE_2D,
            format=vulkan_format(name),
            extent=vk.VkExtent3D(*size, 1),
            mipLevels=1,
            arrayLayers=1,
            samples=samples,
            tiling=vk.VK_IMAGE_TILING_OPTIMAL,
            usage=getattr(vk, f"VK_IMAGE_USAGE_{usage}_ATTACHMENT_BIT"),
            sharingMode=vk.VK_SHARING_MODE_EXCLUSIVE,
            initialLayout=vk.VK_IMAGE_LAYOUT_UNDEFINED,
        )
        handle = vk.vkCreateImage(device.handle, info, None)
        memory = device.allocate(vk.vkGetImageMemoryRequirements(device.handle, handle), 0)
        vk.vkBindImageMemory(device.handle, handle, memory, 0)
        aspect = vk.VK_IMAGE_ASPECT_DEPTH_BIT if is_depth else vk.VK_IMAGE_ASPECT_COLOR_BIT
        whole = vk.VkImageSubresourceRange(aspect, 0, 1, 0, 1)
        view = vk.VkImageViewCreateInfo(
            image=handle,
            viewType=vk.VK_IMAGE_VIEW_TYPE_2D,
            format=vulkan_format(name),
            components=vk.VkComponentMapping(0, 0, 0, 0),
            subresourceRange=whole,
        )
        self.view = vk.vkCreateImageView(device.handle, view, None)
        made += [(vk.vkFreeMemory, memory), (vk.vkDestroyImage, handle), (vk.vkDestroyImageView, self.view)]
        first = vk.VkImageMemoryBarrier(
            srcAccessMask=0,
            dstAccessMask=vk.VK_ACCESS_MEMORY_READ_BIT | vk.VK_ACCESS_MEMORY_WRITE_BIT,
            oldLayout=vk.VK_IMAGE_LAYOUT_UNDEFINED,
            newLayout=GENERAL,
            srcQueueFamilyIndex=0xFFFFFFFF,
            dstQueueFamilyIndex=0xFFFFFFFF,
            image=handle,
            subresourceRange=whole,
        )
        every = vk.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT
        device.submit(lambda c: vk.vkCmdPipelineBarrier(c, every, every, 0, 0, None, 0, None, 1, [first]))


def resolve_mode(name: str) -> int:
    """Return how a format is resolved: the mean of all samples, or the first sample of integers."""
    is_integer = format_of(name).vulkan.endswith("INT")
    return int(vk.VK_RESOLVE_MODE_SAMPLE_ZERO_BIT if is_integer else vk.VK_RESOLVE_MODE_AVERAGE_BIT)
