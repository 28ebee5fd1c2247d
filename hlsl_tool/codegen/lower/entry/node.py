"""Execution modes of work graph nodes: compute shaders that a work graph launches (SPV_AMDX_shader_enqueue)."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import writes_modes
from hlsl_tool.codegen.lower.entry import compute
from hlsl_tool.codegen.lower.entry.items import word
from hlsl_tool.codegen.lower.intrinsics.nodes import node_id
from hlsl_tool.frontend.sema.model.annotations import Attribute, find_attribute
from hlsl_tool.frontend.sema.model.hir import Function
from hlsl_tool.spirv.enums import ExecutionMode

LAUNCHES = ("broadcasting", "coalescing", "thread")


@writes_modes("node")
def execution_modes(ctx: Lowering, f: Function, wrapper: int) -> None:
    """Write the execution modes that a work graph node's attributes request."""
    b = ctx.b
    ctx.require_env("vulkan1.3", "WorkGraphs", f.pos)
    launch = word(f, "nodelaunch") or "broadcasting"
    if launch not in LAUNCHES:
        at = find_attribute(f.attributes, "nodelaunch")
        ctx.fail(codes.FEATURE_UNSUPPORTED, at.pos if at is not None else f.pos, what=f"node launch '{launch}'")
    sizes = _integers(find_attribute(f.attributes, "numthreads"), 3) or (1, 1, 1)
    b.execution_mode(wrapper, ExecutionMode.LocalSize, *sizes)
    ctx.group_sizes[wrapper] = (sizes[0], sizes[1], sizes[2])
    compute.warn_of_wave_size(ctx, f)
    if launch != "broadcasting":
        b.execution_mode(wrapper, ExecutionMode.CoalescingAMDX)

    def mode(number: int, *values: int) -> None:
        b.execution_mode_id(wrapper, number, *(b.const_uint(v) for v in values))

    mode(ExecutionMode.ShaderIndexAMDX, node_id(find_attribute(f.attributes, "nodeid"), f.name)[1])
    if depth := _integers(find_attribute(f.attributes, "nodemaxrecursiondepth"), 1):
        mode(ExecutionMode.MaxNodeRecursionAMDX, *depth)
    if (shared := find_attribute(f.attributes, "nodeshareinputof")) is not None:
        name, index = node_id(shared, f.name)
        b.execution_mode_id(wrapper, ExecutionMode.SharesInputWithAMDX, b.const_string(name), b.const_uint(index))
    if grid := _integers(find_attribute(f.attributes, "nodedispatchgrid"), 3):
        mode(ExecutionMode.StaticNumWorkgroupsAMDX, *grid)
    elif grid := _integers(find_attribute(f.attributes, "nodemaxdispatchgrid"), 3):
        mode(ExecutionMode.MaxNumWorkgroupsAMDX, *grid)


def _integers(a: Attribute | None, count: int) -> tuple[int, ...]:
    """Return the arguments of an attribute if they are exactly ``count`` integers, else an empty tuple."""
    numbers = tuple(x for x in (a.args if a is not None else ()) if isinstance(x, int))
    return numbers if len(numbers) == count else ()
