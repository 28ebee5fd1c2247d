"""Execution modes of pixel shaders (manual: *Pixel shader attributes*)."""

from __future__ import annotations

from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import writes_modes
from hlsl_tool.frontend.sema.model.annotations import find_attribute
from hlsl_tool.frontend.sema.model.hir import Function
from hlsl_tool.spirv.enums import ExecutionMode


@writes_modes("ps")
def execution_modes(ctx: Lowering, f: Function, wrapper: int) -> None:
    """Write the execution modes that a pixel shader's attributes request."""
    b, modes = ctx.b, ExecutionMode
    b.execution_mode(wrapper, modes.OriginUpperLeft)
    if find_attribute(f.attributes, "earlydepthstencil") is not None:
        b.execution_mode(wrapper, modes.EarlyFragmentTests)
    if find_attribute(f.attributes, "post_depth_coverage", "vk") is not None:
        b.execution_mode(wrapper, modes.PostDepthCoverage)
    if find_attribute(f.attributes, "waveopsincludehelperlanes") is not None:
        b.execution_mode(wrapper, modes.MaximallyReconvergesKHR)
        b.execution_mode(wrapper, modes.RequireFullQuadsKHR)
