"""Execution modes of pixel shaders (manual: *Pixel shader attributes*)."""

from __future__ import annotations

from hlsl_tool.lower.core.context import Lowering
from hlsl_tool.lower.entry.items import attribute
from hlsl_tool.sema.hir import Function
from hlsl_tool.spirv import enums as e


def execution_modes(ctx: Lowering, f: Function, wrapper: int) -> None:
    b, modes = ctx.b, e.ExecutionMode
    b.execution_mode(wrapper, modes.OriginUpperLeft)
    if attribute(f, "earlydepthstencil") is not None:
        b.execution_mode(wrapper, modes.EarlyFragmentTests)
    if attribute(f, "post_depth_coverage", "vk") is not None:
        b.execution_mode(wrapper, modes.PostDepthCoverage)
    if attribute(f, "waveopsincludehelperlanes") is not None:
        b.execution_mode(wrapper, modes.MaximallyReconvergesKHR)
        b.execution_mode(wrapper, modes.RequireFullQuadsKHR)
