"""Draw pictures, with a colour and a depth attachment, in the device process."""

from __future__ import annotations

from typing import Any

import vulkan as vk
from device import GENERAL, STAGES, TOPOLOGIES, Buffer, Drawing, Image, vulkan_format
from samples import Attachment, blend_state, resolve_mode

CLEAR = (0.93, 0.94, 0.95, 1.0)


class Painting(Drawing):
    """A drawing into colour targets and a depth attachment.

    The request's ``targets`` map locations to formats; without them, location 0 has the format ``rgba8``.  With
    ``samples`` the targets are resolved.
    """

    def __init__(self, device: Any, request: dict[str, Any]) -> None:
        width, height = request["picture"]
        request["size"] = (width, height)
        size = {"size": (width, height, 1), "levels": 1, "layers": 1, "view": "2d", "data": b""}
        self.targets: dict[int, str] = request.get("targets") or {0: "rgba8"}
        self.formats = [self.targets.get(k, "rgba8") for k in range(max(self.targets) + 1)]
        self.colours = [Image(device, {**size, "kind": "colour", "format": name}) for name in self.formats]
        self.depth = Image(device, {**size, "kind": "depth", "format": "d32"})
        data = request.get("vertices")
        self.vertices = Buffer(device, data) if data else None
        super().__init__(device, request)

    def stages(self) -> list[Any]:
        made = []
        for name, (spirv, entry) in self.request["stages"].items():
            info = vk.VkShaderModuleCreateInfo(codeSize=len(spirv), pCode=spirv)
            module = vk.vkCreateShaderModule(self.device.handle, info, None)
            self.made.append((vk.vkDestroyShaderModule, module))
            made.append(vk.VkPipelineShaderStageCreateInfo(stage=STAGES[name], module=module, pName=entry))
        return made

    def make_attachments(self) -> None:
        """Create the images with several samples, which the pictures are resolved from."""
        count = self.request.get("samples", 1)
        names = [*self.formats, "d32"] if count > 1 else []
        self.many = [Attachment(self.device, name, self.request["picture"], count, self.made) for name in names]

    def make_pipeline(self) -> Any:
        self.make_attachments()
        request = self.request
        blends = request.get("blends", {})
        width, height = request["picture"]
        area = vk.VkRect2D(vk.VkOffset2D(0, 0), vk.VkExtent2D(width, height))
        tessellation = vk.VkPipelineTessellationStateCreateInfo(patchControlPoints=request["patch"])
        stages = self.stages()  # the binding frees objects without a reference
        viewport, compare = vk.VkViewport(0, 0, width, height, 0, 1), vk.VK_COMPARE_OP_LESS
        if request.get("upwards"):
            viewport, compare = vk.VkViewport(0, height, width, -height, 0, 1), vk.VK_COMPARE_OP_ALWAYS
        info = vk.VkGraphicsPipelineCreateInfo(
            pNext=vk.VkPipelineRenderingCreateInfo(
                viewMask=0,
                pColorAttachmentFormats=[vulkan_format(name) for name in self.formats],
                depthAttachmentFormat=vulkan_format("d32"),
            ),
            pStages=stages,
            pVertexInputState=self.vertex_input(),
            pInputAssemblyState=vk.VkPipelineInputAssemblyStateCreateInfo(topology=TOPOLOGIES[request["topology"]]),
            pTessellationState=tessellation if request["patch"] else None,
            pViewportState=vk.VkPipelineViewportStateCreateInfo(pViewports=[viewport], pScissors=[area]),
            pRasterizationState=vk.VkPipelineRasterizationStateCreateInfo(
                polygonMode=vk.VK_POLYGON_MODE_FILL, cullMode=vk.VK_CULL_MODE_NONE, lineWidth=1.0
            ),
            pMultisampleState=vk.VkPipelineMultisampleStateCreateInfo(rasterizationSamples=request.get("samples", 1)),
            pDepthStencilState=vk.VkPipelineDepthStencilStateCreateInfo(
                depthTestEnable=1, depthWriteEnable=1, depthCompareOp=compare
            ),
            pColorBlendState=vk.VkPipelineColorBlendStateCreateInfo(
                pAttachments=[blend_state(blends.get(k), writes=k in self.targets) for k in range(len(self.formats))],
                blendConstants=list(request.get("constant", (0.0,) * 4)),
            ),
            layout=self.layout,
        )
        return vk.vkCreateGraphicsPipelines(self.device.handle, vk.ffi.NULL, 1, [info], None)[0]

    def vertex_input(self) -> Any:
        """Describe consecutive vertex attributes of 16 bytes each."""
        attributes = self.request.get("attributes", ())
        if not attributes:
            return vk.VkPipelineVertexInputStateCreateInfo()
        stride = 16 * len(attributes)
        described = [
            vk.VkVertexInputAttributeDescription(location, 0, vulkan_format(name), 16 * index)
            for index, (location, name) in enumerate(attributes)
        ]
        return vk.VkPipelineVertexInputStateCreateInfo(
            pVertexBindingDescriptions=[vk.VkVertexInputBindingDescription(0, stride, vk.VK_VERTEX_INPUT_RATE_VERTEX)],
            pVertexAttributeDescriptions=described,
        )

    def command(self, commands: Any) -> None:
        if self.vertices is not None:
            vk.vkCmdBindVertexBuffers(commands, 0, 1, [self.vertices.handle], [0])
        super().command(commands)

    def rendering(self, area: Any) -> Any:
        def attachment(image: Image, clear: Any, number: int, name: str = "") -> Any:
            resolves = bool(self.many and name)
            return vk.VkRenderingAttachmentInfo(
                imageView=self.many[number].view if self.many else image.view,
                imageLayout=GENERAL,
                resolveMode=resolve_mode(name) if resolves else 0,
                resolveImageView=image.view if resolves else vk.ffi.NULL,
                resolveImageLayout=GENERAL,
                loadOp=vk.VK_ATTACHMENT_LOAD_OP_CLEAR,
                storeOp=vk.VK_ATTACHMENT_STORE_OP_STORE,
                clearValue=clear,
            )

        colours = []
        for k, name in enumerate(self.formats):
            clear = [0.0] * 4 if name[-1] in "iu" else list(CLEAR)
            value = vk.VkClearValue(color=vk.VkClearColorValue(float32=clear))
            colours.append(attachment(self.colours[k], value, k, name))
        depth = vk.VkClearValue(depthStencil=vk.VkClearDepthStencilValue(1.0, 0))
        self.attachments = [*colours, attachment(self.depth, depth, -1)]
        return vk.VkRenderingInfo(
            renderArea=area,
            layerCount=1,
            viewMask=0,
            pColorAttachments=self.attachments[:-1],
            pDepthAttachment=self.attachments[-1],
        )

    def run(self) -> dict[Any, bytes]:
        contents: dict[Any, bytes] = super().run()
        contents.update({("picture", k): self.colours[k].contents() for k in self.targets})
        if self.request.get("depth"):
            contents["picture", "depth"] = self.depth.contents()
        return contents
