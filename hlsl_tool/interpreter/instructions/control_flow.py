"""Branches, returns, calls, barriers; and instructions without effect."""

from __future__ import annotations

import numpy as np

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction

from ..errors import NotInterpretedError
from ..runtime.code import Edge, Step
from ..runtime.control import arrive, call, leave_function
from ..runtime.state import Registers, State
from ..runtime.values import Array, Value, choose, zeros
from .context import Context, add_rows, builds, with_state


@builds(op.OpFunctionCall)
def _call(context: Context, inst: Instruction) -> Step:
    function = context.functions.get(inst.id(0))
    if function is None:
        raise NotInterpretedError("a call of a function without a body")
    arguments, result = inst.ints()[1:], inst.result_id
    nothing = zeros(context.types.of(inst))

    def step(r: Registers, s: State) -> None:
        values = [r[argument] for argument in arguments]
        for parameter, value in zip(function.parameters, values, strict=True):
            r[parameter] = value
        value = call(function, r, s)
        r[result] = nothing if value is None else value  # no lane returned

    return step


@builds(op.OpReadClockKHR)
def _clock(context: Context, inst: Instruction) -> Step:
    """Count blocks as the time, which is the same in every run."""

    is_vector = context.types.of(inst).kind == "vector"

    def time(s: State) -> Array:
        count = np.array([s.steps], np.uint64)
        return count.view(np.uint32)[:, None] if is_vector else count

    return with_state(time, inst.result_id)


# ------------------------------------------------------------------------------------------------------ terminators


def branch(edge: Edge) -> Step:
    """Return the step of ``OpBranch``."""

    def step(r: Registers, s: State) -> None:
        arrive(edge, s.mask, r, s)

    return step


def branch_conditional(condition: int, yes: Edge, no: Edge) -> Step:
    """Return the step of ``OpBranchConditional``."""

    def step(r: Registers, s: State) -> None:
        bits, mask = r[condition], s.mask
        if bits.shape[-1] == 1:
            arrive(yes if bits[0] else no, mask, r, s)
            return
        taken = mask.select(bits)
        if taken.count:
            arrive(yes, taken, r, s)
        if taken.count != mask.count:
            arrive(no, mask.without(bits) if taken.count else mask, r, s)

    return step


def switch(selector: int, default: Edge, cases: list[tuple[list[int], Edge]]) -> Step:
    """Return the step of ``OpSwitch``; ``cases`` are the literals of each target."""
    edges = {literal: edge for literals, edge in cases for literal in literals}

    def step(r: Registers, s: State) -> None:
        value, rest = r[selector], s.mask
        if value.shape[-1] == 1:
            arrive(edges.get(int(value[0]), default), rest, r, s)
            return
        for literals, edge in cases:
            taken = rest.select(np.isin(value, np.array(literals, value.dtype)))
            if taken.count:
                arrive(edge, taken, r, s)
                rest = rest.without(taken.bits)
                if not rest.count:
                    return
        arrive(default, rest, r, s)

    return step


def keeping(step: Step, result: int) -> Step:
    """Return a step that leaves the register of lanes outside of the mask as it is.

    Lanes that have left a loop need the values of their last iteration while others go on.
    """

    def kept(r: Registers, s: State) -> None:
        old = r[result]
        step(r, s)
        if old is not None and s.mask.count != s.frame.entry.count:  # type: ignore[union-attr]  # a function runs
            r[result] = choose(s.mask.bits, r[result], old)

    return kept


# ----------------------------------------------------------------------------------------------------------- states


@builds(
    op.OpNop,
    op.OpSelectionMerge,
    op.OpLoopMerge,
    op.OpLifetimeStart,
    op.OpLifetimeStop,
    op.OpBeginInvocationInterlockEXT,
    op.OpEndInvocationInterlockEXT,
)
def _no_step(_: Context, __: Instruction) -> None:
    """Return nothing: the instruction has no effect."""


def _nothing(*_: Value) -> None:
    """Do nothing: lanes execute each instruction together, so that barriers need not wait; observers see them."""


add_rows(
    {
        op.OpControlBarrier: _nothing,
        op.OpMemoryBarrier: _nothing,
        op.OpUnreachable: _nothing,  # lanes that come here end the function
        op.OpReturn: lambda s: leave_function(None, s),
        op.OpReturnValue: leave_function,
        op.OpKill: State.end_lanes,
        op.OpTerminateInvocation: State.end_lanes,
        op.OpDemoteToHelperInvocation: State.demote_lanes,
        op.OpIsHelperInvocationEXT: lambda s: np.zeros(1, np.bool_) if s.helpers is None else s.helpers,
    },
    with_state,
)
