"""System values: which semantic is which SPIR-V built-in at which point of the pipeline (manual: *Built-in types*, the
table of HLSL semantics).

Signature points are named as in the manual: ``VSIn VSOut PSIn PSOut CSIn`` (and those of the other stages).  A row
gives for each point the built-in, or ``IO`` where the value travels between stages by location.
"""

from __future__ import annotations

import re

from hlsl_tool.sema.source_chunk import SourceChunk
from hlsl_tool.spirv.enums import BuiltIn
from hlsl_tool.system.dataclass import dataclass

IO = -1
"""An ordinary stage variable with a location."""

_CLIP = ("VSOut", "HSCPIn", "HSCPOut", "DSCPIn", "DSOut", "GSVIn", "GSOut", "PSIn", "MSOut")

TABLE: dict[str, dict[str, int]] = {
    "POSITION": {
        "VSIn": IO,
        "PCOut": IO,
        "DSIn": IO,
        "VSOut": BuiltIn.Position,
        "HSCPIn": BuiltIn.Position,
        "HSCPOut": BuiltIn.Position,
        "DSCPIn": BuiltIn.Position,
        "DSOut": BuiltIn.Position,
        "GSVIn": BuiltIn.Position,
        "GSOut": BuiltIn.Position,
        "MSOut": BuiltIn.Position,
        "PSIn": BuiltIn.FragCoord,
    },
    "VERTEXID": {"VSIn": BuiltIn.VertexIndex},
    "INSTANCEID": {
        "VSIn": BuiltIn.InstanceIndex,
        "VSOut": IO,
        "HSCPIn": IO,
        "HSCPOut": IO,
        "DSCPIn": IO,
        "DSOut": IO,
        "GSVIn": IO,
        "GSOut": IO,
        "PSIn": IO,
    },
    "STARTVERTEXLOCATION": {"VSIn": BuiltIn.BaseVertex},
    "STARTINSTANCELOCATION": {"VSIn": BuiltIn.BaseInstance},
    "DEPTH": {"PSOut": BuiltIn.FragDepth},
    "DEPTHGREATEREQUAL": {"PSOut": BuiltIn.FragDepth},
    "DEPTHLESSEQUAL": {"PSOut": BuiltIn.FragDepth},
    "CLIPDISTANCE": {"VSIn": IO, "PCOut": IO, "DSIn": IO, **dict.fromkeys(_CLIP, BuiltIn.ClipDistance)},
    "CULLDISTANCE": {"VSIn": IO, "PCOut": IO, "DSIn": IO, **dict.fromkeys(_CLIP, BuiltIn.CullDistance)},
    "ISFRONTFACE": {"PSIn": BuiltIn.FrontFacing, "GSOut": IO},
    "TARGET": {"PSOut": IO},
    "DISPATCHTHREADID": {
        "CSIn": BuiltIn.GlobalInvocationId,
        "MSIn": BuiltIn.GlobalInvocationId,
        "ASIn": BuiltIn.GlobalInvocationId,
    },
    "GROUPID": {"CSIn": BuiltIn.WorkgroupId, "MSIn": BuiltIn.WorkgroupId, "ASIn": BuiltIn.WorkgroupId},
    "GROUPTHREADID": {
        "CSIn": BuiltIn.LocalInvocationId,
        "MSIn": BuiltIn.LocalInvocationId,
        "ASIn": BuiltIn.LocalInvocationId,
    },
    "GROUPINDEX": {
        "CSIn": BuiltIn.LocalInvocationIndex,
        "MSIn": BuiltIn.LocalInvocationIndex,
        "ASIn": BuiltIn.LocalInvocationIndex,
    },
    "OUTPUTCONTROLPOINTID": {"HSIn": BuiltIn.InvocationId},
    "PRIMITIVEID": dict.fromkeys(("PCIn", "HSIn", "DSIn", "GSIn", "GSOut", "PSIn", "MSPOut"), BuiltIn.PrimitiveId),
    "TESSFACTOR": {"PCOut": BuiltIn.TessLevelOuter, "DSIn": BuiltIn.TessLevelOuter},
    "INSIDETESSFACTOR": {"PCOut": BuiltIn.TessLevelInner, "DSIn": BuiltIn.TessLevelInner},
    "DOMAINLOCATION": {"DSIn": BuiltIn.TessCoord},
    "GSINSTANCEID": {"GSIn": BuiltIn.InvocationId},
    "SAMPLEINDEX": {"PSIn": BuiltIn.SampleId},
    "STENCILREF": {"PSOut": BuiltIn.FragStencilRefEXT},
    "BARYCENTRICS": {"PSIn": BuiltIn.BaryCoordKHR},
    "RENDERTARGETARRAYINDEX": {
        "VSIn": IO,
        "HSCPIn": IO,
        "HSCPOut": IO,
        "PCOut": IO,
        "DSIn": IO,
        "DSCPIn": IO,
        "GSVIn": IO,
        **dict.fromkeys(("VSOut", "DSOut", "GSOut", "PSIn", "MSPOut"), BuiltIn.Layer),
    },
    "VIEWPORTARRAYINDEX": {
        "VSIn": IO,
        "HSCPIn": IO,
        "HSCPOut": IO,
        "PCOut": IO,
        "DSIn": IO,
        "DSCPIn": IO,
        "GSVIn": IO,
        **dict.fromkeys(("VSOut", "DSOut", "GSOut", "PSIn", "MSPOut"), BuiltIn.ViewportIndex),
    },
    "COVERAGE": {"PSIn": BuiltIn.SampleMask, "PSOut": BuiltIn.SampleMask},
    "VIEWID": dict.fromkeys(("VSIn", "PCIn", "HSIn", "DSIn", "GSIn", "MSIn", "PSIn"), BuiltIn.ViewIndex),
    "INNERCOVERAGE": {"PSIn": BuiltIn.FullyCoveredEXT},
    "SHADINGRATE": {
        "PSIn": BuiltIn.ShadingRateKHR,
        "VSOut": BuiltIn.PrimitiveShadingRateKHR,
        "GSOut": BuiltIn.PrimitiveShadingRateKHR,
        "MSPOut": BuiltIn.PrimitiveShadingRateKHR,
    },
    "CULLPRIMITIVE": {"MSPOut": BuiltIn.CullPrimitiveEXT},  # Vulkan has it in mesh shaders only
}
"""Semantic without ``SV_``, in capitals → signature point → built-in."""

SYSTEM_VALUES_ONLY = frozenset(("CSIn", "HSIn", "PCIn", "GSIn", "MSIn", "ASIn", ""))
"""Signature points that no other stage gives anything to."""

VULKAN_BUILTINS: dict[str, int] = {
    "PointSize": BuiltIn.PointSize,
    "HelperInvocation": BuiltIn.HelperInvocation,
    "BaseVertex": BuiltIn.BaseVertex,
    "BaseInstance": BuiltIn.BaseInstance,
    "DrawIndex": BuiltIn.DrawIndex,
    "DeviceIndex": BuiltIn.DeviceIndex,
    "ViewportMaskNV": BuiltIn.ViewportMaskNV,
}
"""``[[vk::builtin("...")]]``."""

_SPLIT = re.compile(r"(.*?)(\d*)$")


@dataclass(slots=True)
class Semantic:
    """A semantic in use: ``TEXCOORD3`` is name ``TEXCOORD``, index 3; ``text`` as written."""

    text: str
    name: str
    index: int
    pos: int
    chunk: SourceChunk | None = None
    """As ``stage_io.Item.chunk``."""

    @property
    def system(self) -> str:
        """``SV_POSITION`` → ``POSITION``; ``""`` for a user's own."""
        upper = self.name.upper()
        return upper[3:] if upper.startswith("SV_") else ""

    @property
    def spelled(self) -> str:
        """With its index where that is not 0, as stage variables are named."""
        return f"{self.name}{self.index}" if self.index else self.text


def parse(text: str, pos: int, chunk: SourceChunk | None = None) -> Semantic:
    m = _SPLIT.match(text)
    assert m is not None
    return Semantic(text, m.group(1), int(m.group(2) or 0), pos, chunk)
