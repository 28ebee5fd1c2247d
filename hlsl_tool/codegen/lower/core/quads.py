"""Declarations that derivatives need in stages other than pixel shaders: how threads form quads."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import availability
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.spirv.enums import ExecutionMode


def need_derivatives(ctx: Lowering) -> None:
    """Request legalisation and a derivative group, which derivatives need in all stages but pixel shaders."""
    ctx.entry_mode(_allow_derivatives)


def _allow_derivatives(ctx: Lowering) -> None:
    if ctx.stage != "ps":
        ctx.needs_legalization()
        if not _form_quads(ctx):
            x, y, z = ctx.group_sizes[ctx.wrapper]
            ctx.error(availability.DERIVATIVE_THREADS, x=x, y=y, z=z)


def derivative_group(ctx: Lowering) -> None:
    """Write the execution mode that forms quads from a group's threads, for each entry point with derivatives.

    Quads are 2x2 if X and Y are even, else four consecutive threads if the group's size is a multiple of 4; otherwise,
    and in stages without derivatives, nothing is written.
    """
    ctx.entry_mode(_allow_quads)


def _allow_quads(ctx: Lowering) -> None:
    _form_quads(ctx)


def _form_quads(ctx: Lowering) -> bool:
    """Write the execution mode; return whether the group, if it may have one, can be divided into quads."""
    size = ctx.group_sizes.get(ctx.wrapper)
    meshes_may = ctx.is_enabled("SPV_EXT_mesh_shader")  # SPV_KHR_compute_shader_derivatives allows no other stage
    if size is None or not (ctx.stage in ("cs", "node") or (ctx.stage in ("ms", "as") and meshes_may)):
        return True
    x, y, z = size
    quads = x % 2 == 0 and y % 2 == 0
    if quads or (x * y * z) % 4 == 0:
        mode = ExecutionMode.DerivativeGroupQuadsKHR if quads else ExecutionMode.DerivativeGroupLinearKHR
        ctx.b.execution_mode(ctx.wrapper, mode)
        return True
    return False
