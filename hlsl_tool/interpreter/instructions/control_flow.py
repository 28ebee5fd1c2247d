"""Branches, returns, calls, barriers; and instructions without effect."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction

from ..errors import NotInterpretedError
from ..runtime.code import Edge, Step
from ..runtime.control import arrive, call, leave_function
from ..runtime.state import Registers, State
from ..runtime.values import zeros
from .context import Context, builds


@builds(
    op.OpNop,
    op.OpLine,
    op.OpNoLine,
    op.OpSelectionMerge,
    op.OpLoopMerge,
    op.OpLifetimeStart,
    op.OpLifetimeStop,
    op.OpBeginInvocationInterlockEXT,
    op.OpEndInvocationInterlockEXT,
)
def _nothing(_: Context, __: Instruction) -> None:
    """Return nothing: the instruction has no effect."""


@builds(op.OpControlBarrier, op.OpMemoryBarrier)
def _barrier(_: Context, __: Instruction) -> Step:
    """Return a step without effect, as lanes execute each instruction together; observers see it."""

    def step(_: Registers, __: State) -> None:
        pass

    return step


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
    result, of = inst.result_id, context.types.of(inst)

    def step(r: Registers, s: State) -> None:
        time = np.array([s.steps], np.uint64)
        r[result] = time if of.kind == "int" else np.array([[s.steps & 0xFFFFFFFF], [s.steps >> 32]], np.uint32)

    return step


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


def return_value(value: int) -> Step:
    """Return the step of ``OpReturnValue``, or for the id 0 of ``OpReturn``."""

    def step(r: Registers, s: State) -> None:
        leave_function(r[value] if value else None, s)

    return step


def end_invocation(_: Registers, s: State) -> None:
    """End the lanes of the mask, as `OpKill` does."""
    s.end_lanes()


def unreachable(_: Registers, __: State) -> None:
    """Continue: the behaviour is undefined, and lanes that come here end the function."""


@builds(op.OpDemoteToHelperInvocation)
def _demote(_: Context, __: Instruction) -> Step:
    def step(_: Registers, s: State) -> None:
        s.demote_lanes()

    return step


@builds(op.OpIsHelperInvocationEXT)
def _is_helper(_: Context, inst: Instruction) -> Step:
    result = inst.result_id

    def step(r: Registers, s: State) -> None:
        r[result] = np.zeros(1, np.bool_) if s.helpers is None else s.helpers

    return step


def keeping(step: Step, result: int, merge: Any) -> Step:
    """Return a step that leaves the register of lanes outside of the mask as it is.

    Lanes that have left a loop need the values of their last iteration while others go on.
    """

    def kept(r: Registers, s: State) -> None:
        old = r[result]
        step(r, s)
        if old is not None and s.mask.count != s.frame.entry.count:  # type: ignore[union-attr]  # a function runs
            r[result] = merge(s.mask.bits, r[result], old)

    return kept
