"""Instructions of ray tracing pipelines; the pipeline itself is in the state."""

from __future__ import annotations

from typing import Any

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction

from ..runtime.code import Step
from ..runtime.state import Registers, State
from .context import Context, add_rows, builds, with_state

_CALLS: dict[int, Any] = {
    op.OpTraceRayKHR: lambda tracer, r, s, *operands: tracer.trace(r, s, list(operands)),
    op.OpExecuteCallableKHR: lambda tracer, r, s, *operands: tracer.execute_callable(r, s, *operands),
    op.OpReportIntersectionKHR: lambda tracer, r, s, *operands: tracer.report(r, s, *operands),
}


@builds(*_CALLS)
def _call(_: Context, inst: Instruction) -> Step:
    function, result, operands = _CALLS[inst.op], inst.result_id, inst.ints()

    def step(r: Registers, s: State) -> None:
        r[result] = function(s.extra["tracer"], r, s, *(r[operand] for operand in operands))

    return step


def _ignore_intersection(s: State) -> None:
    """End the lanes of the mask; their candidate is not accepted."""
    s.extra["tracer"].ignored |= s.mask.bits
    s.end_lanes()


def _terminate_ray(s: State) -> None:
    """End the lanes of the mask and the search; their candidate is accepted."""
    s.extra["tracer"].ended |= s.mask.bits
    s.end_lanes()


add_rows(
    {op.OpIgnoreIntersectionKHR: _ignore_intersection, op.OpTerminateRayKHR: _terminate_ray},
    with_state,
)
