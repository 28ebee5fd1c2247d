"""System values: which semantic is which SPIR-V built-in at which point of the pipeline (manual: *Built-in types*, the
table of HLSL semantics).

Signature points are named as in the manual: ``VSIn VSOut PSIn PSOut CSIn`` (and those of the other stages).  A row
gives for each point the built-in, or ``IO`` where the value travels between stages by location.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from hlsl_tool.sema.source_chunk import SourceChunk
from hlsl_tool.spirv import enums as e

_B = e.BuiltIn
IO = -1
"""An ordinary stage variable with a location."""

_CLIP = ("VSOut", "HSCPIn", "HSCPOut", "DSCPIn", "DSOut", "GSVIn", "GSOut", "PSIn", "MSOut")

TABLE: dict[str, dict[str, int]] = {
    "POSITION": {
        "VSIn": IO,
        "PCOut": IO,
        "DSIn": IO,
        "VSOut": _B.Position,
        "HSCPIn": _B.Position,
        "HSCPOut": _B.Position,
        "DSCPIn": _B.Position,
        "DSOut": _B.Position,
        "GSVIn": _B.Position,
        "GSOut": _B.Position,
        "MSOut": _B.Position,
        "PSIn": _B.FragCoord,
    },
    "VERTEXID": {"VSIn": _B.VertexIndex},
    "INSTANCEID": {
        "VSIn": _B.InstanceIndex,
        "VSOut": IO,
        "HSCPIn": IO,
        "HSCPOut": IO,
        "DSCPIn": IO,
        "DSOut": IO,
        "GSVIn": IO,
        "GSOut": IO,
        "PSIn": IO,
    },
    "STARTVERTEXLOCATION": {"VSIn": _B.BaseVertex},
    "STARTINSTANCELOCATION": {"VSIn": _B.BaseInstance},
    "DEPTH": {"PSOut": _B.FragDepth},
    "DEPTHGREATEREQUAL": {"PSOut": _B.FragDepth},
    "DEPTHLESSEQUAL": {"PSOut": _B.FragDepth},
    "CLIPDISTANCE": {"VSIn": IO, "PCOut": IO, "DSIn": IO, **dict.fromkeys(_CLIP, _B.ClipDistance)},
    "CULLDISTANCE": {"VSIn": IO, "PCOut": IO, "DSIn": IO, **dict.fromkeys(_CLIP, _B.CullDistance)},
    "ISFRONTFACE": {"PSIn": _B.FrontFacing, "GSOut": IO},
    "TARGET": {"PSOut": IO},
    "DISPATCHTHREADID": {"CSIn": _B.GlobalInvocationId, "MSIn": _B.GlobalInvocationId, "ASIn": _B.GlobalInvocationId},
    "GROUPID": {"CSIn": _B.WorkgroupId, "MSIn": _B.WorkgroupId, "ASIn": _B.WorkgroupId},
    "GROUPTHREADID": {"CSIn": _B.LocalInvocationId, "MSIn": _B.LocalInvocationId, "ASIn": _B.LocalInvocationId},
    "GROUPINDEX": {"CSIn": _B.LocalInvocationIndex, "MSIn": _B.LocalInvocationIndex, "ASIn": _B.LocalInvocationIndex},
    "OUTPUTCONTROLPOINTID": {"HSIn": _B.InvocationId},
    "PRIMITIVEID": dict.fromkeys(("PCIn", "HSIn", "DSIn", "GSIn", "GSOut", "PSIn", "MSPOut"), _B.PrimitiveId),
    "TESSFACTOR": {"PCOut": _B.TessLevelOuter, "DSIn": _B.TessLevelOuter},
    "INSIDETESSFACTOR": {"PCOut": _B.TessLevelInner, "DSIn": _B.TessLevelInner},
    "DOMAINLOCATION": {"DSIn": _B.TessCoord},
    "GSINSTANCEID": {"GSIn": _B.InvocationId},
    "SAMPLEINDEX": {"PSIn": _B.SampleId},
    "STENCILREF": {"PSOut": _B.FragStencilRefEXT},
    "BARYCENTRICS": {"PSIn": _B.BaryCoordKHR},
    "RENDERTARGETARRAYINDEX": {
        "VSIn": IO,
        "HSCPIn": IO,
        "HSCPOut": IO,
        "PCOut": IO,
        "DSIn": IO,
        "DSCPIn": IO,
        "GSVIn": IO,
        **dict.fromkeys(("VSOut", "DSOut", "GSOut", "PSIn", "MSPOut"), _B.Layer),
    },
    "VIEWPORTARRAYINDEX": {
        "VSIn": IO,
        "HSCPIn": IO,
        "HSCPOut": IO,
        "PCOut": IO,
        "DSIn": IO,
        "DSCPIn": IO,
        "GSVIn": IO,
        **dict.fromkeys(("VSOut", "DSOut", "GSOut", "PSIn", "MSPOut"), _B.ViewportIndex),
    },
    "COVERAGE": {"PSIn": _B.SampleMask, "PSOut": _B.SampleMask},
    "VIEWID": dict.fromkeys(("VSIn", "PCIn", "HSIn", "DSIn", "GSIn", "MSIn", "PSIn"), _B.ViewIndex),
    "INNERCOVERAGE": {"PSIn": _B.FullyCoveredEXT},
    "SHADINGRATE": {
        "PSIn": _B.ShadingRateKHR,
        "VSOut": _B.PrimitiveShadingRateKHR,
        "GSOut": _B.PrimitiveShadingRateKHR,
        "MSPOut": _B.PrimitiveShadingRateKHR,
    },
    "CULLPRIMITIVE": {"MSPOut": _B.CullPrimitiveEXT},  # Vulkan has it in mesh shaders only
}
"""Semantic without ``SV_``, in capitals → signature point → built-in."""

SYSTEM_VALUES_ONLY = frozenset(("CSIn", "HSIn", "PCIn", "GSIn", "MSIn", "ASIn", ""))
"""Signature points that no other stage gives anything to."""

VULKAN_BUILTINS: dict[str, int] = {
    "PointSize": _B.PointSize,
    "HelperInvocation": _B.HelperInvocation,
    "BaseVertex": _B.BaseVertex,
    "BaseInstance": _B.BaseInstance,
    "DrawIndex": _B.DrawIndex,
    "DeviceIndex": _B.DeviceIndex,
    "ViewportMaskNV": _B.ViewportMaskNV,
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
