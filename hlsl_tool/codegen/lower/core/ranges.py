"""Sets of used numbers (bindings, locations), stored as ranges."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from hlsl_tool.base.system.dataclass import dataclass, field


@dataclass(slots=True)
class Ranges:
    """A set of used numbers, as sorted ranges that neither overlap nor touch."""

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def add(self, start: int, end: int) -> None:
        """Add the numbers ``start`` to ``end - 1`` to the set."""
        first, last = bisect_left(self.ends, start), bisect_right(self.starts, end)
        if first < last:  # one range in place of those that it touches
            start, end = min(start, self.starts[first]), max(end, self.ends[last - 1])
        self.starts[first:last], self.ends[first:last] = [start], [end]

    def first(self, start: int, end: int) -> int | None:
        """Return the first used number from ``start`` to ``end - 1``; ``None`` if all are free."""
        index = bisect_right(self.ends, start)
        if start < end and index < len(self.starts) and self.starts[index] < end:
            return max(start, self.starts[index])
        return None

    def free(self, count: int, at: int) -> int:
        """Return the start of the first run of ``count`` free numbers at or after ``at``."""
        index = bisect_right(self.ends, at)
        while index < len(self.starts) and self.starts[index] < at + count:
            at = self.ends[index]
            index += 1
        return at
