"""Execute functions: lanes wait at blocks, and the first block in the order of the function runs next.

In that order a merge block follows the whole construct, and a continue target follows the body of its loop.  So lanes
that take different ways meet again at the merge block, as SPIR-V's reconvergence requires.
"""

from __future__ import annotations

from ..errors import ExecutionError
from .code import Block, Edge, Function
from .masks import Mask
from .state import Frame, Registers, State
from .values import Value, choose


def call(function: Function, registers: Registers, state: State) -> Value:
    """Run a function for the lanes of the current mask, and return its result.

    The arguments are in the registers of the parameters.  Lanes that end in the function leave the mask.
    """
    entry, dead = state.mask, state.dead
    frame = state.frame = Frame(function, entry, state.frame, {0: entry})
    try:
        _run(frame, registers, state)
    finally:
        state.frame = frame.caller
    state.mask = entry if state.dead is dead or state.dead is None else entry.without(state.dead)
    return frame.result


def _run(frame: Frame, registers: Registers, state: State) -> None:
    pending, blocks = frame.pending, frame.function.blocks
    execute = _observed if state.observer is not None else _plain
    while pending:
        index = min(pending)
        state.mask = pending.pop(index)
        frame.block = index
        state.steps += 1
        if state.steps == state.limit:
            raise _exceeded(blocks[index], frame, state)
        execute(blocks[index], frame, registers, state)


def _exceeded(block: Block, frame: Frame, state: State) -> ExecutionError:
    place = next((position for position in block.positions if position is not None), None)
    where = f"{place.file}:{place.line}:{place.column}" if place is not None else f"`{frame.function.name}`"
    return ExecutionError(f"the loop at {where} exceeds the limit of {state.limit} blocks")


def _plain(block: Block, frame: Frame, registers: Registers, state: State) -> None:
    for step in block.steps:
        step(registers, state)
    if state.mask.count:
        block.leave(registers, state)


def _observed(block: Block, frame: Frame, registers: Registers, state: State) -> None:
    observer = state.observer
    assert observer is not None
    for number, step in enumerate(block.steps):
        frame.step = number
        observer.step(state, registers)
        step(registers, state)
    frame.step = len(block.steps)
    if state.mask.count:
        observer.step(state, registers)
        block.leave(registers, state)


def arrive(edge: Edge, mask: Mask, registers: Registers, state: State) -> None:
    """Let lanes wait at the target of an edge, and give the phis there their values."""
    frame = state.frame
    assert frame is not None
    waiting = frame.pending.get(edge.target)
    if edge.moves:
        if state.follow is not None:
            state.follow(edge, mask, registers)
        everyone = mask.count == frame.entry.count
        values = [registers[source] for _, source, _ in edge.moves]
        for (phi, _, keeps), value in zip(edge.moves, values, strict=True):
            old = registers[phi]
            if old is not None and (waiting is not None or (keeps and not everyone)):
                value = choose(mask.bits, value, old)
            registers[phi] = value
    if waiting is None:
        frame.pending[edge.target] = mask
    else:
        together = waiting.union(mask)
        frame.pending[edge.target] = frame.entry if together.count == frame.entry.count else together


def leave_function(value: Value, state: State) -> None:
    """Return from the function for the lanes of the mask."""
    frame = state.running
    frame.result = value if frame.result is None or value is None else choose(state.mask.bits, value, frame.result)
