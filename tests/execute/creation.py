"""Create pipelines without running them, in the device process: a driver may refuse what no validator reports."""

from __future__ import annotations

from typing import Any

import vulkan as vk
from device import STAGES, TOPOLOGIES, vulkan_format
from tracing import Tracing

_SIZE = 8
_UNBOUNDED = 4
"""Descriptors of an array without a size."""


class Creation(Tracing):
    """A pipeline of any kind; the layout in the request maps (set, binding) to (descriptor type, count)."""

    def set_layouts(self) -> list[Any]:
        """Create the layouts of all descriptor sets."""
        bindings: dict[tuple[int, int], tuple[str, int | None]] = self.request["bindings"]
        layouts = []
        for number in range(max((place[0] for place in bindings), default=-1) + 1):
            rows = [
                vk.VkDescriptorSetLayoutBinding(
                    binding, _descriptor(kind), _UNBOUNDED if count is None else count, vk.VK_SHADER_STAGE_ALL, None
                )
                for (space, binding), (kind, count) in bindings.items()
                if space == number
            ]
            info = vk.VkDescriptorSetLayoutCreateInfo(pBindings=rows)
            layouts.append(vk.vkCreateDescriptorSetLayout(self.device.handle, info, None))
            self.made.append((vk.vkDestroyDescriptorSetLayout, layouts[-1]))
        return layouts

    def stages(self) -> list[Any]:
        """Create the shader modules and return the stages."""
        stages = []
        for name, (spirv, entry) in self.request["create"].items():
            self.request["entry"] = entry
            stages.append(self.shader(STAGES.get(name, vk.VK_SHADER_STAGE_COMPUTE_BIT), spirv))
        return stages

    def make_pipeline(self) -> Any:
        """Create a graphics, compute or ray tracing pipeline, as the stages require."""
        request = self.request
        if "cs" in request["create"]:
            stages = self.stages()  # the binding frees what nobody holds
            info = vk.VkComputePipelineCreateInfo(stage=stages[0], layout=self.layout)
            return vk.vkCreateComputePipelines(self.device.handle, vk.ffi.NULL, 1, [info], None)[0]
        if "lib" in request["create"]:
            request["spirv"] = request["create"]["lib"][0]
            return super().make_pipeline()
        return self.make_graphics_pipeline()

    def make_graphics_pipeline(self) -> Any:
        """Create a graphics pipeline without vertex buffers, with floating-point targets."""
        request = self.request
        stages, targets = self.stages(), request["targets"]
        state = vk.VkPipelineColorBlendAttachmentState(blendEnable=0, colorWriteMask=15)
        area = vk.VkRect2D(vk.VkOffset2D(0, 0), vk.VkExtent2D(_SIZE, _SIZE))
        info = vk.VkGraphicsPipelineCreateInfo(
            pNext=vk.VkPipelineRenderingCreateInfo(
                viewMask=0,
                pColorAttachmentFormats=[vulkan_format("rgba32f")] * targets,
                depthAttachmentFormat=vulkan_format("d32"),
            ),
            pStages=stages,
            pVertexInputState=self.vertex_input(),
            pInputAssemblyState=vk.VkPipelineInputAssemblyStateCreateInfo(topology=TOPOLOGIES[request["topology"]]),
            pTessellationState=vk.VkPipelineTessellationStateCreateInfo(patchControlPoints=request["patch"]),
            pViewportState=vk.VkPipelineViewportStateCreateInfo(
                pViewports=[vk.VkViewport(0, 0, _SIZE, _SIZE, 0, 1)], pScissors=[area]
            ),
            pRasterizationState=vk.VkPipelineRasterizationStateCreateInfo(
                polygonMode=vk.VK_POLYGON_MODE_FILL, cullMode=vk.VK_CULL_MODE_NONE, lineWidth=1.0
            ),
            pMultisampleState=vk.VkPipelineMultisampleStateCreateInfo(rasterizationSamples=vk.VK_SAMPLE_COUNT_1_BIT),
            pDepthStencilState=vk.VkPipelineDepthStencilStateCreateInfo(
                depthTestEnable=1, depthWriteEnable=1, depthCompareOp=vk.VK_COMPARE_OP_LESS
            ),
            pColorBlendState=vk.VkPipelineColorBlendStateCreateInfo(
                pAttachments=[state] * targets, blendConstants=[0.0] * 4
            ),
            layout=self.layout,
        )
        return vk.vkCreateGraphicsPipelines(self.device.handle, vk.ffi.NULL, 1, [info], None)[0]

    def vertex_input(self) -> Any:
        """Describe a buffer from which every attribute reads the same 16 bytes."""
        inputs: list[tuple[int, str]] = self.request["inputs"]
        if not inputs:
            return vk.VkPipelineVertexInputStateCreateInfo()
        buffers = [vk.VkVertexInputBindingDescription(0, 16, vk.VK_VERTEX_INPUT_RATE_VERTEX)]
        rows = [vk.VkVertexInputAttributeDescription(location, 0, vulkan_format(form), 0) for location, form in inputs]
        return vk.VkPipelineVertexInputStateCreateInfo(
            pVertexBindingDescriptions=buffers, pVertexAttributeDescriptions=rows
        )

    def run(self) -> dict[Any, bytes]:
        """Return no results: creating the pipeline is the test."""
        return {}


def _descriptor(kind: str) -> int:
    if kind == "acceleration_structure":
        return 1000150000
    return int(getattr(vk, f"VK_DESCRIPTOR_TYPE_{kind.upper()}"))
