"""Execution modes that attributes of entry points request (manual: *Vulkan specific attributes*)."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import inline_spirv as codes
from hlsl_tool.codegen.lower.core import inline_spirv
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.frontend.sema.model.annotations import vk_attribute
from hlsl_tool.frontend.sema.model.hir import Function
from hlsl_tool.spirv.enums import ExecutionMode

MODES: dict[str, int] = {
    "early_and_late_tests": ExecutionMode.EarlyAndLateFragmentTestsAMD,
    "depth_unchanged": ExecutionMode.DepthUnchanged,
    "stencil_ref_unchanged_front": ExecutionMode.StencilRefUnchangedFrontAMD,
    "stencil_ref_greater_equal_front": ExecutionMode.StencilRefGreaterFrontAMD,
    "stencil_ref_less_equal_front": ExecutionMode.StencilRefLessFrontAMD,
    "stencil_ref_unchanged_back": ExecutionMode.StencilRefUnchangedBackAMD,
    "stencil_ref_greater_equal_back": ExecutionMode.StencilRefGreaterBackAMD,
    "stencil_ref_less_equal_back": ExecutionMode.StencilRefLessBackAMD,
}
"""Attribute of a pixel shader's entry point → its execution mode, in the order of output."""


def entry_modes(ctx: Lowering, f: Function, wrapper: int) -> None:
    """Write the execution modes that an entry point's ``vk::`` attributes request."""
    for a in reversed(f.attributes):  # DXC lists the attributes of a declaration in reverse
        if a.scope == "vk" and a.name == "spvexecutionmode":
            inline_spirv.execution_mode(ctx, wrapper, a)
    if ctx.stage == "ps":
        names = [name for name in MODES if vk_attribute(f.attributes, name) is not None]
        for side in ("front", "back"):
            if sum(name.endswith(side) for name in names) > 1:
                ctx.error(codes.STENCIL_TWICE, f.pos, side=side)
        for name in names:
            ctx.b.execution_mode(wrapper, MODES[name])
