"""Pointers into arrays of resources."""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv.ir import Instruction


@dataclass(slots=True)
class ResourceArray:
    """An array of resources: its element type, and its lengths, outermost first (0 for an unbounded one)."""

    variable: Instruction
    lengths: list[int]
    element: int


@dataclass(slots=True)
class Path:
    """A pointer into an array of resources, with the ids of its indices."""

    array: ResourceArray
    indices: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Paths:
    """The pointers and handles of one function that lead into arrays of resources."""

    pointers: dict[int, Path]
    """Pointer → the array and the indices."""
    dropped: dict[int, Instruction] = field(default_factory=dict)
    """Pointers, and handles loaded from them, which are written again at each use."""
