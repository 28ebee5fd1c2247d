"""Quads of threads for derivatives."""

from __future__ import annotations

from hlsl_tool.lower.core.context import Lowering
from hlsl_tool.spirv.enums import ExecutionMode


def need_derivatives(ctx: Lowering) -> None:
    """Prepare for derivatives outside pixel shaders: they need a group layout, or are optimised away."""
    if ctx.stage == "ps":
        return
    ctx.needs_legalization()
    derivative_group(ctx)


def derivative_group(ctx: Lowering) -> None:
    """Declare how the threads of a group form quads: two by two, or in rows of four if the group is a row."""
    size = ctx.group_sizes.get(ctx.wrapper)
    meshes_may = ctx.is_enabled("SPV_EXT_mesh_shader")  # SPV_KHR_compute_shader_derivatives allows no other stage
    if size is None or not (ctx.stage in ("cs", "node") or (ctx.stage in ("ms", "as") and meshes_may)):
        return
    x, y, z = size
    quads = x % 2 == 0 and y % 2 == 0
    if (quads and (x, y, z) != (1, 1, 1)) or (x * y * z) % 4 == 0:
        mode = ExecutionMode.DerivativeGroupQuadsKHR if quads else ExecutionMode.DerivativeGroupLinearKHR
        ctx.b.execution_mode(ctx.wrapper, mode)
