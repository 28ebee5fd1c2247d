"""Intrinsics without a translation, and the errors that refuse them."""

from __future__ import annotations

from tests.execute.intrinsics.rows import Refused

_QUADS = tuple(f"ProcessQuadTessFactors{kind}" for kind in ("Avg", "Max", "Min"))
_QUADS_2D = tuple(f"Process2DQuadTessFactors{kind}" for kind in ("Avg", "Max", "Min"))
_TRIANGLES = tuple(f"ProcessTriTessFactors{kind}" for kind in ("Avg", "Max", "Min"))

REFUSED = (
    Refused(("GetRenderTargetSampleCount",), "uint n = NAME();", "HLSL0635", "ps_6_6"),
    Refused(("GetRenderTargetSamplePosition",), "float2 p = NAME(0);", "HLSL0635", "ps_6_6"),
    Refused(("abort",), "NAME();", "HLSL0635"),
    Refused(("dx::IsDebuggingEnabled",), "bool b = NAME();", "HLSL0635"),
    Refused(("source_mark",), "NAME();"),
    Refused(("WaveMultiPrefixCountBits",), "uint n = NAME(true, uint4(1, 0, 0, 0));"),
    Refused(("InterlockedCompareStoreFloatBitwise",), "NAME(cell, 1, 2);"),
    Refused(("InterlockedCompareExchangeFloatBitwise",), "float old; NAME(cell, 1, 2, old);"),
    Refused(
        _QUADS_2D, "float4 edges; float2 inner, whole; NAME(float4(1, 2, 3, 4), float2(1, 2), edges, inner, whole);"
    ),
    Refused(_QUADS, "float4 edges; float2 inner, whole; NAME(float4(1, 2, 3, 4), 1, edges, inner, whole);"),
    Refused(_TRIANGLES, "float3 edges; float inner, whole; NAME(float3(1, 2, 3), 1, edges, inner, whole);"),
    Refused(("ProcessIsolineTessFactors",), "float detail, density; NAME(1, 2, detail, density);"),
)
