"""Find where lines start: in each function that runs, the line at which lanes are."""

from __future__ import annotations

from typing import Any

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.interpreter.runtime.code import Position


@dataclass(slots=True)
class Place:
    """Where an instruction is."""

    file: str
    line: int
    calls: tuple[int, ...]
    """The inlined calls around it, the outermost first."""


@dataclass(slots=True)
class _Line:
    """A line at which lanes are in one inlined call."""

    call: int
    file: str
    line: int
    block: int


class Arrivals:
    """The lines at which lanes are in one call of a function, and in the calls that were inlined into it."""

    __slots__ = ("_lines", "block")

    def __init__(self) -> None:
        self._lines: list[_Line] = []
        self.block = -1

    def arrive(self, place: Place, block: int, *, enters: bool) -> bool:
        """Move to a place in a block, which lanes may have just entered; return whether a line starts here.

        A line that is a whole loop starts in each iteration.  The header of a loop that continues on the line of the
        header does not start it again, and neither does the return from an inlined call.
        """
        calls = place.calls
        while self._lines and self._lines[-1].call not in calls:
            self._lines.pop()
        before, self.block = self.block, block
        if not self._lines or self._lines[-1].call != calls[-1]:
            self._lines.append(_Line(calls[-1], place.file, place.line, block))
            return True
        top = self._lines[-1]
        repeats = enters and top.block <= block <= before
        if place.line == top.line and place.file == top.file and not repeats:
            return False
        top.file, top.line, top.block = place.file, place.line, block
        return True


class Tracker:
    """A call of a function: where all lanes are, and where the focused lane is."""

    __slots__ = ("base", "everyone", "focused", "frame", "position")

    def __init__(self, frame: Any, base: int) -> None:
        self.frame = frame
        self.base = base
        """The number of functions around the call, with inlined ones."""
        self.position: Position | None = None
        self.everyone = Arrivals()
        self.focused = Arrivals()
