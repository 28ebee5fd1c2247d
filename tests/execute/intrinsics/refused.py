"""List intrinsics without a translation, with the error that each causes."""

from __future__ import annotations

from tests.execute.intrinsics.rows import Refused

REFUSED = (
    Refused(("GetRenderTargetSampleCount",), "uint n = NAME();", "HLSL0635", "ps_6_6"),
    Refused(("GetRenderTargetSamplePosition",), "float2 p = NAME(0);", "HLSL0635", "ps_6_6"),
    Refused(("abort",), "NAME();", "HLSL0635"),
    Refused(("dx::IsDebuggingEnabled",), "bool b = NAME();", "HLSL0635"),
    Refused(("source_mark",), "NAME();"),
)
