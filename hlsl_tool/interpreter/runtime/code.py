"""Functions in the form that is executed: blocks of steps, and edges between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hlsl_tool.base.system.dataclass import dataclass, field

Step = Callable[[Any, Any], None]
"""A function of (registers, state) that executes one instruction for all lanes."""


@dataclass(slots=True, frozen=True)
class Position:
    """A place in the HLSL."""

    file: str
    line: int
    column: int
    end: int = 0
    """The column behind the last character; 0 if it is unknown."""
    inlined: Inlined | None = None
    """The function that contains the place, if its call was inlined."""


@dataclass(slots=True, frozen=True)
class Inlined:
    """A function whose call was replaced by its body, as debug information records it."""

    function: str
    call: Position
    """The place of the call, with a line and no column."""


@dataclass(slots=True)
class Edge:
    """A way from one block to another."""

    target: int
    """The index of the block."""
    moves: list[tuple[int, int, bool]] = field(default_factory=list)
    """(id of an ``OpPhi``, id of its value, whether lanes that are elsewhere need their old value)."""


@dataclass(slots=True)
class Block:
    """A basic block; ``leave`` is the step of its terminator."""

    label: int
    steps: list[Step]
    leave: Step
    positions: list[Position | None]
    """The place of each step, and of the terminator."""
    instructions: list[Any]
    """The instruction of each step, and the terminator."""


@dataclass(slots=True)
class Function:
    """A function; the order of its blocks is such that lanes wait in a merge block until all others arrive."""

    id: int
    name: str
    parameters: list[int]
    blocks: list[Block] = field(default_factory=list)
