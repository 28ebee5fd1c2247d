"""Data breakpoints: on bytes of memory, and on parts of variables without addresses."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.interpreter.runtime.cells import CellPointer
from hlsl_tool.interpreter.runtime.memory import OFFSET, OFFSET_BITS, Access
from hlsl_tool.interpreter.runtime.state import Registers, State

from ..values.storage import CellPart, MemoryRange, Storage
from ..values.trees import Path, lane_part, part_of


@dataclass(slots=True)
class Watch:
    """A data breakpoint."""

    id: int
    name: str
    storage: Storage
    access: str = "write"
    """``read``, ``write`` or ``readWrite``."""
    old: Any = None
    """The value of a part of a variable when it was last seen."""

    def touched_by(self, access: Access) -> bool:
        """Return whether an access is one that the breakpoint stops at."""
        place = self.storage
        if not isinstance(place, MemoryRange) or access.buffer.address >> OFFSET_BITS != place.address >> OFFSET_BITS:
            return False
        is_write = access.kind != "read"
        if not (is_write if self.access == "write" else not is_write if self.access == "read" else True):
            return False
        start = place.address & OFFSET
        overlaps = (access.offsets < start + place.size) & (access.offsets + access.size > start)
        return bool((overlaps & access.mask.bits).any())

    def changed(self, state: State, registers: Registers) -> bool:
        """Return whether a part of a variable has another value than when it was last seen."""
        place = self.storage
        if not isinstance(place, CellPart):
            return False
        if place.function:
            frame = state.frame
            while frame is not None and frame.function.id != place.function:
                frame = frame.caller
            if frame is None:
                self.old = None
                return False
        value = _content(registers[place.variable], place.path, place.lane)
        old, self.old = self.old, value
        return old is not None and not _equal(old, value)


def _content(pointer: Any, path: Path, lane: int) -> Any:
    """Return a copy of the part of a variable that one lane has."""
    return lane_part(part_of(pointer.load(), path), lane) if isinstance(pointer, CellPointer) else None


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, list):
        return all(_equal(a, b) for a, b in zip(one, other, strict=True))
    return isinstance(one, np.ndarray) and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
