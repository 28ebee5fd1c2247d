"""Pictures: a graphics pipeline with a colour and a depth attachment, in the device process."""

from __future__ import annotations

from typing import Any

import vulkan as vk
from device import FORMATS, GENERAL, STAGES, TOPOLOGIES, Drawing, Image

CLEAR = (0.93, 0.94, 0.95, 1.0)


class Painting(Drawing):
    """Like a drawing, but what the pixel shader returns is kept, as ``rgba8``."""

    def __init__(self, device: Any, request: dict[str, Any]) -> None:
        width, height = request["picture"]
        request["size"] = (width, height)
        size = {"size": (width, height, 1), "levels": 1, "layers": 1, "view": "2d", "data": b""}
        self.colour = Image(device, {**size, "kind": "colour", "format": "rgba8"})
        self.depth = Image(device, {**size, "kind": "depth", "format": "d32"})
        super().__init__(device, request)

    def stages(self) -> list[Any]:
        made = []
        for name, (spirv, entry) in self.request["stages"].items():
            info = vk.VkShaderModuleCreateInfo(codeSize=len(spirv), pCode=spirv)
            module = vk.vkCreateShaderModule(self.device.handle, info, None)
            self.made.append((vk.vkDestroyShaderModule, module))
            made.append(vk.VkPipelineShaderStageCreateInfo(stage=STAGES[name], module=module, pName=entry))
        return made

    def make_pipeline(self) -> Any:
        request = self.request
        width, height = request["picture"]
        area = vk.VkRect2D(vk.VkOffset2D(0, 0), vk.VkExtent2D(width, height))
        tessellation = vk.VkPipelineTessellationStateCreateInfo(patchControlPoints=request["patch"])
        stages = self.stages()  # the binding frees what nobody holds
        info = vk.VkGraphicsPipelineCreateInfo(
            pNext=vk.VkPipelineRenderingCreateInfo(
                viewMask=0, pColorAttachmentFormats=[FORMATS["rgba8"][0]], depthAttachmentFormat=FORMATS["d32"][0]
            ),
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
            pDepthStencilState=vk.VkPipelineDepthStencilStateCreateInfo(
                depthTestEnable=1, depthWriteEnable=1, depthCompareOp=vk.VK_COMPARE_OP_LESS
            ),
            pColorBlendState=vk.VkPipelineColorBlendStateCreateInfo(
                pAttachments=[vk.VkPipelineColorBlendAttachmentState(blendEnable=0, colorWriteMask=15)],
                blendConstants=[0.0] * 4,
            ),
            layout=self.layout,
        )
        return vk.vkCreateGraphicsPipelines(self.device.handle, vk.ffi.NULL, 1, [info], None)[0]

    def rendering(self, area: Any) -> Any:
        def attachment(image: Image, clear: Any) -> Any:
            return vk.VkRenderingAttachmentInfo(
                imageView=image.view, imageLayout=GENERAL, loadOp=vk.VK_ATTACHMENT_LOAD_OP_CLEAR,
                storeOp=vk.VK_ATTACHMENT_STORE_OP_STORE, clearValue=clear,
            )  # fmt: skip

        colour = vk.VkClearValue(color=vk.VkClearColorValue(float32=list(CLEAR)))
        depth = vk.VkClearValue(depthStencil=vk.VkClearDepthStencilValue(1.0, 0))
        self.attachments = [attachment(self.colour, colour), attachment(self.depth, depth)]
        return vk.VkRenderingInfo(
            renderArea=area, layerCount=1, viewMask=0, pColorAttachments=self.attachments[:1],
            pDepthAttachment=self.attachments[1],
        )  # fmt: skip

    def run(self) -> dict[Any, bytes]:
        return {**super().run(), "picture": self.colour.read()}

    def destroy(self) -> None:
        super().destroy()
        self.colour.destroy()
        self.depth.destroy()
