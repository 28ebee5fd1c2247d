"""Compute pipelines, their descriptors, and their dispatches."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import vulkan as vk
from vulkan import ffi

from hlsl_tool.gpu.backend import Binding, Bindings, Code, ImageShape, Memory, SamplerState
from hlsl_tool.gpu.errors import DriverError, UnsupportedError

from .device import WHOLE, Device, barrier, driver_errors
from .memory import GENERAL, Buffer, Image, Sampler

DESCRIPTORS = {
    "storage_buffer": vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
    "uniform_buffer": vk.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
    "uniform_texel_buffer": vk.VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
    "storage_texel_buffer": vk.VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
    "sampled_image": vk.VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
    "storage_image": vk.VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
    "sampler": vk.VK_DESCRIPTOR_TYPE_SAMPLER,
}
_STAGE = vk.VK_SHADER_STAGE_COMPUTE_BIT
_POINT = vk.VK_PIPELINE_BIND_POINT_COMPUTE
_CODES = {"bool": "I", "int": "i", "uint": "I", "float": "f"}
_WIDE = {"int": "q", "uint": "Q", "float": "d"}


class VulkanBackend:
    """The backend for one Vulkan device."""

    library = "vulkan"

    def __init__(self, wanted: str = "") -> None:
        self.device = Device(wanted)
        self.name = self.device.name

    def pipeline(self, code: Code, constants: Mapping[int, int | float | bool]) -> Pipeline:
        """Return the pipeline for these values of specialisation constants, by id."""
        _check_extensions(self.device, code)
        with driver_errors():
            return Pipeline(self.device, code, constants)

    def buffer(self, size: int, kind: str) -> Buffer:
        """Create a buffer; the kind is irrelevant."""
        with driver_errors():
            return Buffer(self.device, size)

    def image(self, shape: ImageShape) -> Image:
        """Create an image; raise ``DriverError`` if it exceeds the limits of the device."""
        limits = self.device.properties.limits
        most = {"1": limits.maxImageDimension1D, "3": limits.maxImageDimension3D}.get(
            shape.view[0], limits.maxImageDimension2D
        )
        if max(shape.size) > most or shape.layers > limits.maxImageArrayLayers:
            sides = " × ".join(map(str, (*shape.size, shape.layers)))
            raise DriverError(f"a texture of {sides} texels is too large; the device takes {most} in one direction")
        with driver_errors():
            return Image(self.device, shape)

    def sampler(self, state: SamplerState) -> Sampler:
        with driver_errors():
            return Sampler(self.device, state)

    def download(self, item: Memory) -> None:
        """Copy the content from the device, so that ``read`` returns it."""
        if isinstance(item, Image) and not item.pending:
            with driver_errors():
                item.download()


def _check_extensions(device: Device, code: Code) -> None:
    """Raise ``UnsupportedError`` for a kernel with a feature of an extension that the device does not offer."""
    requirements = code.reflection.requirements
    for feature in requirements.features if requirements is not None else ():
        extensions = feature.provided_by
        is_core = any(name.startswith("VK_VERSION_") for name in extensions)
        if extensions and not is_core and device.extensions.isdisjoint(extensions):
            raise UnsupportedError(code.name, f"{device.name} has no {extensions[0]}", 'device="cpu"')


class Pipeline:
    """A compute pipeline and the layouts of its descriptor sets."""

    def __init__(self, device: Device, code: Code, constants: Mapping[int, int | float | bool]) -> None:
        self.device = device
        self.push_size = max((r.type.size or 0 for r in code.reflection.push_constants), default=0)
        self.layouts = self._set_layouts(code)
        ranges = [vk.VkPushConstantRange(_STAGE, 0, self.push_size)] if self.push_size else []
        info = vk.VkPipelineLayoutCreateInfo(pSetLayouts=self.layouts, pPushConstantRanges=ranges)
        layout = vk.vkCreatePipelineLayout(device.handle, info, None)
        self.layout = device.own(layout, vk.vkDestroyPipelineLayout, self)
        module_info = vk.VkShaderModuleCreateInfo(codeSize=len(code.spirv), pCode=code.spirv)
        module = vk.vkCreateShaderModule(device.handle, module_info, None)
        stage = vk.VkPipelineShaderStageCreateInfo(
            stage=_STAGE, module=module, pName=code.entry, pSpecializationInfo=_specialisation(code, constants)
        )
        pipeline_info = vk.VkComputePipelineCreateInfo(stage=stage, layout=self.layout)
        try:
            (handle,) = vk.vkCreateComputePipelines(device.handle, ffi.NULL, 1, [pipeline_info], None)
        except vk.VkError as error:
            reason = f"{device.name} refused `{code.entry}` of `{code.name}` with {type(error).__name__}"
            raise DriverError(reason, f"Update the driver ({device.driver}), or choose another device.") from error
        finally:
            vk.vkDestroyShaderModule(device.handle, module, None)
        self.handle = device.own(handle, vk.vkDestroyPipeline, self)

    def _set_layouts(self, code: Code) -> list[Any]:
        device, resources = self.device, code.reflection.resources
        layouts = []
        for number in range(max((r.set or 0 for r in resources), default=-1) + 1):
            bindings = [
                vk.VkDescriptorSetLayoutBinding(r.binding, DESCRIPTORS[r.kind], r.count, _STAGE, None)
                for r in resources
                if r.set == number
            ]
            info = vk.VkDescriptorSetLayoutCreateInfo(pBindings=bindings)
            layout = vk.vkCreateDescriptorSetLayout(device.handle, info, None)
            layouts.append(device.own(layout, vk.vkDestroyDescriptorSetLayout, self))
        return layouts

    def bind(self, bindings: Bindings) -> Bound:
        with driver_errors():
            return Bound(self, bindings)


class Bound:
    """A pipeline with descriptor sets, and the commands that were recorded for it."""

    def __init__(self, pipeline: Pipeline, bindings: Bindings) -> None:
        self.pipeline, self.device = pipeline, pipeline.device
        self.bindings = bindings
        self.images = [b.item for many in bindings.values() for b in many if isinstance(b.item, Image)]
        self.sets = self._descriptor_sets() if bindings else []
        self.commands = self.device.commands()
        self.device.own([self.commands], _free_commands(self.device.pool), self)
        self._submission = vk.VkSubmitInfo(pCommandBuffers=[self.commands])
        self._recorded: object = None

    def _descriptor_sets(self) -> list[Any]:
        device, layouts = self.device, self.pipeline.layouts
        counts: dict[int, int] = {}
        for many in self.bindings.values():
            kind = DESCRIPTORS[many[0].kind]
            counts[kind] = counts.get(kind, 0) + len(many)
        sizes = [vk.VkDescriptorPoolSize(kind, count) for kind, count in counts.items()]
        info = vk.VkDescriptorPoolCreateInfo(maxSets=len(layouts), pPoolSizes=sizes)
        pool = device.own(vk.vkCreateDescriptorPool(device.handle, info, None), vk.vkDestroyDescriptorPool, self)
        allocate = vk.VkDescriptorSetAllocateInfo(descriptorPool=pool, pSetLayouts=layouts)
        sets = list(vk.vkAllocateDescriptorSets(device.handle, allocate))
        writes = [
            vk.VkWriteDescriptorSet(
                dstSet=sets[place[0] or 0],
                dstBinding=place[1],
                dstArrayElement=element,
                descriptorCount=1,
                descriptorType=DESCRIPTORS[binding.kind],
                **_descriptor(binding),
            )
            for place, many in self.bindings.items()
            for element, binding in enumerate(many)
        ]
        vk.vkUpdateDescriptorSets(device.handle, len(writes), writes, 0, None)
        return sets

    def run(self, groups: tuple[int, int, int], push: bytes, downloads: Sequence[Memory]) -> None:
        """Run the kernel and wait; this includes the copies of images from and to the host."""
        uploads = [image for image in self.images if image.pending]
        back = [image for image in downloads if isinstance(image, Image)]
        key = groups, push, [id(image) for image in uploads], [id(image) for image in back]
        with driver_errors():
            if key != self._recorded:
                self._recorded = None
                self.device.record(self.commands, lambda commands: self._write(commands, groups, push, uploads, back))
                self._recorded = key
            self.device.run(self._submission)
        for image in uploads:
            image.pending = False

    def _write(
        self, commands: Any, groups: tuple[int, int, int], push: bytes, uploads: list[Image], back: list[Image]
    ) -> None:
        for image in uploads:
            image.record_upload(commands)
        if uploads:
            barrier(commands)
        vk.vkCmdBindPipeline(commands, _POINT, self.pipeline.handle)
        if self.sets:
            vk.vkCmdBindDescriptorSets(commands, _POINT, self.pipeline.layout, 0, len(self.sets), self.sets, 0, None)
        if push:
            vk.vkCmdPushConstants(commands, self.pipeline.layout, _STAGE, 0, len(push), ffi.from_buffer(push))
        vk.vkCmdDispatch(commands, *groups)
        if back:
            barrier(commands)
        for image in back:
            image.record_download(commands)


def _free_commands(pool: Any) -> Any:
    def free(device: Any, commands: list[Any], _: object) -> None:
        vk.vkFreeCommandBuffers(device, pool, 1, commands)

    return free


def _descriptor(binding: Binding) -> dict[str, Any]:
    if binding.format is not None:
        return {"pTexelBufferView": [binding.item.view(binding.format.vulkan)]}
    if isinstance(binding.item, Buffer):
        return {"pBufferInfo": [vk.VkDescriptorBufferInfo(binding.item.handle, 0, WHOLE)]}
    sampler = binding.item.handle if isinstance(binding.item, Sampler) else ffi.NULL
    view = binding.item.view if isinstance(binding.item, Image) else ffi.NULL
    return {"pImageInfo": [vk.VkDescriptorImageInfo(sampler, view, GENERAL)]}


def _specialisation(code: Code, constants: Mapping[int, int | float | bool]) -> Any:
    """Return Vulkan's struct with the values of specialisation constants; ``None`` if there are none."""
    if not constants:
        return None
    types = {constant.id: constant.type for constant in code.reflection.specialization_constants}
    data, entries = b"", []
    for number, value in constants.items():
        t = types[number]
        form = (_WIDE if t.bits == 64 else _CODES)[t.kind]
        packed = struct.pack(f"<{form}", value)
        entries.append(vk.VkSpecializationMapEntry(number, len(data), len(packed)))
        data += packed
    return vk.VkSpecializationInfo(pMapEntries=entries, dataSize=len(data), pData=ffi.from_buffer(data))
