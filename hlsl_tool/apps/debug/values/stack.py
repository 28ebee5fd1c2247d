"""The call stack of lanes: functions of the HLSL with the places where they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.interpreter.runtime.code import Position
from hlsl_tool.interpreter.runtime.masks import Mask
from hlsl_tool.interpreter.runtime.state import Frame, State
from hlsl_tool.spirv.ir import Instruction

from ..symbols.debug_info import DebugInfo, Inlined


@dataclass(slots=True)
class Level:
    """A function in a call stack."""

    name: str
    position: Position | None
    inst: Instruction
    function: Inlined
    function_id: int
    """The function of the module that contains the instruction."""


@dataclass(slots=True)
class Waiting:
    """Lanes that wait at a block while others run."""

    frame: Frame
    block: int
    mask: Mask


def waiting_lanes(state: State) -> list[Waiting]:
    """Return the lanes that wait, in the innermost function first."""
    out = []
    frame = state.frame
    while frame is not None:
        out += [Waiting(frame, block, mask) for block, mask in sorted(frame.pending.items())]
        frame = frame.caller
    return out


def call_stack(info: DebugInfo, state: State, waiting: Waiting | None = None) -> list[Level]:
    """Return the functions of the lanes that run, or of those that wait, the innermost first."""
    out: list[Level] = []
    frame: Any = waiting.frame if waiting is not None else state.frame
    block, step = (waiting.block, 0) if waiting is not None else (frame.block, frame.step)
    while frame is not None:
        out += _levels(info, frame, block, step)
        frame = frame.caller
        if frame is not None:
            block, step = frame.block, frame.step
    return out


def _levels(info: DebugInfo, frame: Frame, block: int, step: int) -> Iterator[Level]:
    """Yield the functions of an instruction: several if calls were inlined."""
    code = frame.function.blocks[block]
    inst = code.instructions[step]
    position = code.positions[step] or next((p for p in code.positions[step:] if p is not None), None)
    for number, function in enumerate(info.functions_at(inst)):
        place = position
        if number:
            place = Position(function.file, function.line, 0) if function.line else None
        yield Level(function.name, place, inst, function, frame.function.id)
