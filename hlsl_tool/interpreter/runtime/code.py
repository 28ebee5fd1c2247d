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
