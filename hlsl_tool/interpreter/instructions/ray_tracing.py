"""Instructions of ray tracing pipelines; the pipeline itself is in the state."""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction

from ..runtime.code import Step
from ..runtime.state import Registers, State
from .context import Context, builds


@builds(op.OpTraceRayKHR)
def _trace(_: Context, inst: Instruction) -> Step:
    operands = inst.ints()

    def step(r: Registers, s: State) -> None:
        s.extra["tracer"].trace(r, s, [r[operand] for operand in operands])

    return step


@builds(op.OpExecuteCallableKHR)
def _execute_callable(_: Context, inst: Instruction) -> Step:
    index, data = inst.ints()

    def step(r: Registers, s: State) -> None:
        s.extra["tracer"].execute_callable(r, s, r[index], r[data])

    return step


@builds(op.OpReportIntersectionKHR)
def _report(_: Context, inst: Instruction) -> Step:
    result, (distance, kind) = inst.result_id, inst.ints()

    def step(r: Registers, s: State) -> None:
        r[result] = s.extra["tracer"].report(r, s, r[distance], r[kind])

    return step


def ignore_intersection(_: Registers, s: State) -> None:
    """End the lanes of the mask; their candidate is not accepted."""
    s.extra["tracer"].ignored |= s.mask.bits
    s.end_lanes()


def terminate_ray(_: Registers, s: State) -> None:
    """End the lanes of the mask and the search; their candidate is accepted."""
    s.extra["tracer"].ended |= s.mask.bits
    s.end_lanes()
