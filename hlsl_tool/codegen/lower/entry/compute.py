"""Execution modes of stages with thread groups (manual: *Compute shader attributes*)."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import writes_modes
from hlsl_tool.codegen.lower.entry.stages import STAGES
from hlsl_tool.frontend.sema.model.annotations import find_attribute
from hlsl_tool.frontend.sema.model.hir import Function
from hlsl_tool.spirv.enums import ExecutionMode


@writes_modes("cs")
def execution_modes(ctx: Lowering, f: Function, wrapper: int) -> None:
    """Write the execution modes that a compute shader's attributes request."""
    a = find_attribute(f.attributes, "numthreads")
    sizes = [x for x in (a.args if a is not None else ()) if isinstance(x, int)]
    if len(sizes) != 3:
        ctx.fail(codes.ATTRIBUTE_MISSING, f.pos, stage=STAGES[ctx.stage].attribute, attribute="numthreads")
    warn_of_wave_size(ctx, f)
    ctx.b.execution_mode(wrapper, ExecutionMode.LocalSize, *sizes)
    ctx.group_sizes[wrapper] = (sizes[0], sizes[1], sizes[2])
    ctx.interface.workgroup_size = ctx.group_sizes[wrapper]


def warn_of_wave_size(ctx: Lowering, f: Function) -> None:
    """Warn that ``[WaveSize]`` has no effect: Vulkan's applications set the subgroup size.

    Record its numbers in the interface record for reflection.
    """
    a = find_attribute(f.attributes, "wavesize")
    if a is not None:
        ctx.warn(codes.WAVE_SIZE, a.pos)
        ctx.interface.wave_sizes[f.name] = [x for x in a.args if isinstance(x, int)]
