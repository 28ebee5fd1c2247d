"""The history of a build: sizes and instruction counts of its shaders at the times of earlier reports.

It is a JSON file in the output folder.  Each point stores the shaders that changed since the previous point, so that a
report of an unchanged build adds nothing.  If there are more than `MAX_POINTS`, or `MAX_BYTES`, the oldest points are
merged.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from hlsl_tool.apps.report.snapshot import Snapshot
from hlsl_tool.base.system.atomic_write import read_own, write_own
from hlsl_tool.base.system.dataclass import dataclass, field

HISTORY_NAME = ".hlsl_tool.history"
VERSION = 1
MAX_POINTS = 60
MAX_BYTES = 4_000_000

Size = tuple[int, int]
"""Bytes and instructions of a shader."""


@dataclass(slots=True)
class Point:
    """The shaders that changed between two reports."""

    time: str
    """UTC: `2026-03-01 12:30`."""
    changed: dict[str, Size] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)


@dataclass(slots=True)
class History:
    """The points of a history, the oldest first."""

    points: list[Point] = field(default_factory=list)

    def states(self) -> Iterable[tuple[Point, dict[str, Size]]]:
        """Yield each point with the sizes of all shaders at that time.

        The mapping is reused: the next iteration changes it.
        """
        sizes: dict[str, Size] = {}
        for point in self.points:
            sizes.update(point.changed)
            for name in point.removed:
                sizes.pop(name, None)
            yield point, sizes

    def sizes(self) -> dict[str, Size]:
        """Return the sizes of all shaders at the last point."""
        sizes: dict[str, Size] = {}
        for _, sizes in self.states():  # noqa: B007  # the last one is wanted
            pass
        return sizes

    def add(self, time: str, snapshot: Snapshot, known: Iterable[str] | None) -> bool:
        """Add a point if a shader changed or was removed; return whether that is so.

        ``known``: the names of all shaders in the project; others count as removed.  ``None`` if the names are unknown.
        """
        sizes = self.sizes()
        now = {name: (weight.bytes, weight.instructions) for name, weight in sorted(snapshot.items())}
        changed = {name: size for name, size in now.items() if sizes.get(name) != size}
        removed = [] if known is None else sorted(sizes.keys() - set(known))
        if not changed and not removed:
            return False
        self.points.append(Point(time, changed, removed))
        while len(self.points) > MAX_POINTS:
            self._merge_oldest()
        return True

    def _merge_oldest(self) -> None:
        first, second = self.points[:2]
        merged = {**first.changed, **second.changed}
        for name in second.removed:
            merged.pop(name, None)
        self.points[:2] = [Point(second.time, merged)]


class BadHistory(Exception):
    """Raised for a file that is not a history of this version."""


def load(path: str) -> History:
    """Load the history in a file; it is empty if the file is missing or empty.

    Raises ``BadHistory`` for a file that is damaged, of another version, or something else.
    """
    data = read_own(path)
    if not data:
        return History()
    try:
        content = json.loads(data)
        if content["version"] == VERSION:
            return History([_point(one) for one in content["points"]])
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        raise BadHistory(path) from error
    raise BadHistory(path)


def _point(content: Any) -> Point:
    changed = {str(name): (int(size[0]), int(size[1])) for name, size in content["changed"].items()}
    return Point(str(content["time"]), changed, [str(name) for name in content.get("removed", ())])


def save(path: str, history: History) -> None:
    """Write the history atomically; raise OSError or WriteError if that fails."""
    data = _encode(history)
    while len(data) > MAX_BYTES and len(history.points) > 1:
        history._merge_oldest()
        data = _encode(history)
    write_own(path, data)


def _encode(history: History) -> bytes:
    points = [
        {"time": point.time, "changed": point.changed, **({"removed": point.removed} if point.removed else {})}
        for point in history.points
    ]
    lines = ",\n".join(json.dumps(point, separators=(",", ":"), ensure_ascii=False) for point in points)
    return f'{{"version":{VERSION},"points":[\n{lines}\n]}}\n'.encode("utf-8", "replace")
