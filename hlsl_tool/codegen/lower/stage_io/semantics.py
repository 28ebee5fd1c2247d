"""System values: the SPIR-V built-in of each semantic at each point of the pipeline.

Manual: *Built-in types*, the table of HLSL semantics.

Signature points are named as in the manual: ``VSIn VSOut PSIn PSOut CSIn`` (and those of the other stages). A table
entry maps points to the built-in, or to ``IO`` for a value that has a location.
"""

from __future__ import annotations

import re

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk
from hlsl_tool.spirv.enums import BuiltIn

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

SYSTEM_VALUES_ONLY = frozenset(("PSOut", "CSIn", "HSIn", "PCIn", "GSIn", "MSIn", "ASIn", ""))
"""Signature points that no other stage is connected to with locations."""

VULKAN_BUILTINS: dict[str, int] = {
    "PointSize": BuiltIn.PointSize,
    "HelperInvocation": BuiltIn.HelperInvocation,
    "BaseVertex": BuiltIn.BaseVertex,
    "BaseInstance": BuiltIn.BaseInstance,
    "DrawIndex": BuiltIn.DrawIndex,
    "DeviceIndex": BuiltIn.DeviceIndex,
    "ViewportMaskNV": BuiltIn.ViewportMaskNV,
}
"""Name in ``[[vk::builtin("...")]]`` → built-in."""

_SPLIT = re.compile(r"(.*?)(\d*)$")


@dataclass(slots=True)
class Semantic:
    """A semantic: ``TEXCOORD3`` has the name ``TEXCOORD`` and the index 3; ``text`` is the spelling in the source."""

    text: str
    name: str
    index: int
    pos: int
    chunk: SourceChunk | None = None
    """The declaration to which ``pos`` is relative, as for ``Item.chunk``."""

    @property
    def system(self) -> str:
        """The name without ``SV_``: ``POSITION`` for ``SV_POSITION``; ``""`` for a user-defined semantic."""
        upper = self.name.upper()
        return upper[3:] if upper.startswith("SV_") else ""

    @property
    def spelled(self) -> str:
        """The name with the index, which is omitted if 0; used in names of stage variables."""
        return f"{self.name}{self.index}" if self.index else self.text


def parse(text: str, pos: int, chunk: SourceChunk | None = None) -> Semantic:
    """Split the spelling of a semantic into name and index."""
    m = _SPLIT.match(text)
    assert m is not None
    return Semantic(text, m.group(1), int(m.group(2) or 0), pos, chunk)
