"""Subdivide the domains of tessellation: triangles, quads and isolines, as Vulkan's chapter on tessellation."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv.enums import ExecutionMode

from ..runtime.values import Array

Points = list[int]
"""The numbers of the points of a row."""


@dataclass(slots=True)
class Domain:
    """The points of a subdivided domain, and the primitives between them."""

    points: list[tuple[float, float, float]] = field(default_factory=list)
    primitives: list[tuple[int, int, int]] = field(default_factory=list)
    size: int = 3
    """The number of points of a primitive; others repeat their last point."""

    def add(self, u: float, v: float, w: float = 0.0) -> int:
        """Add a point and return its number."""
        self.points.append((u, v, w))
        return len(self.points) - 1


def divisions(level: float, spacing: int, *, least: int = 1) -> list[float]:
    """Return the positions, from 0 to 1, that divide an edge with this level; ``least`` is the number of segments."""
    if spacing == ExecutionMode.SpacingFractionalEven:
        level = min(max(level, 2.0), 64.0)
        count = int(np.ceil(level / 2)) * 2
    elif spacing == ExecutionMode.SpacingFractionalOdd:
        level = min(max(level, 1.0), 63.0)
        count = int(np.ceil((level - 1) / 2)) * 2 + 1
    else:
        count = int(np.ceil(min(max(level, 1.0), 64.0)))
    if count < least:
        count, level = least, float(least)
        if spacing == ExecutionMode.SpacingFractionalOdd:
            count, level = 3, 1.0001
    if spacing not in (ExecutionMode.SpacingFractionalEven, ExecutionMode.SpacingFractionalOdd) or count == level:
        return [number / count for number in range(count + 1)]
    return _fractional(level, count)


def _fractional(level: float, count: int) -> list[float]:
    """Return positions with ``count - 2`` segments of the length 1 / level, and two shorter ones around the middle."""
    short = (level - (count - 2)) / 2
    lengths = [1.0] * count
    side = max(count // 2 - 1, 0) if count % 2 == 0 else count // 2 - 1
    first, second = (side, count - 1 - side)
    lengths[first] = lengths[second] = short
    ends = np.cumsum([0.0, *lengths]) / level
    return [float(end) for end in ends]


def _stitch(domain: Domain, outer: Points, inner: Points) -> None:
    """Fill the strip between two rows of points with triangles."""
    a = b = 0
    while a < len(outer) - 1 or b < len(inner) - 1:
        outer_part = (a + 1) / max(len(outer) - 1, 1)
        inner_part = (b + 1) / max(len(inner) - 1, 1)
        if b >= len(inner) - 1 or (a < len(outer) - 1 and outer_part <= inner_part):
            domain.primitives.append((outer[a], outer[a + 1], inner[b]))
            a += 1
        else:
            domain.primitives.append((outer[a], inner[b + 1], inner[b]))
            b += 1


def triangles(outer: Array, inner: float, spacing: int) -> Domain:
    """Subdivide a triangle; the edge opposite to corner n has the level ``outer[n]``."""
    domain = Domain()
    edges = [divisions(float(level), spacing) for level in outer[:3]]
    middle = divisions(inner, spacing)
    if len(middle) == 2 and any(len(edge) > 2 for edge in edges):
        middle = divisions(inner, spacing, least=2)
    corners = np.eye(3)
    ring = [_edge(domain, corners[(n + 1) % 3], corners[(n + 2) % 3], edges[n]) for n in range(3)]
    ring = _closed(ring)
    count = len(middle) - 1
    for step in range(1, count // 2 + 1):
        inset = 2 * middle[step] / 3
        inside = [np.where(np.arange(3) == n, 1 - 2 * inset, inset) for n in range(3)]
        if count - 2 * step <= 0:
            centre = domain.add(*inside[0])
            for row in ring:
                _stitch(domain, row, [centre])
            return domain
        width = middle[count - step] - middle[step]
        parts = [(middle[number] - middle[step]) / width for number in range(step, count - step + 1)]
        following = _closed([_edge(domain, inside[(n + 1) % 3], inside[(n + 2) % 3], parts) for n in range(3)])
        for row, next_row in zip(ring, following, strict=True):
            _stitch(domain, row, next_row)
        ring = following
    domain.primitives.append((ring[0][0], ring[1][0], ring[2][0]))
    return domain


def _edge(domain: Domain, start: Any, end: Any, parts: list[float]) -> Points:
    """Add the points of an edge but its last one."""
    return [domain.add(*(start + (end - start) * part)) for part in parts[:-1]]


def _closed(rows: list[Points]) -> list[Points]:
    """Return rows that end with the first point of the next one."""
    return [[*row, rows[(number + 1) % len(rows)][0]] for number, row in enumerate(rows)]


def quads(outer: Array, inner: Array, spacing: int) -> Domain:
    """Subdivide a square; the edges u = 0, v = 0, u = 1 and v = 1 have the levels ``outer``."""
    domain = Domain()
    left, bottom, right, top = (divisions(float(level), spacing) for level in outer[:4])
    across, up = (divisions(float(level), spacing) for level in inner[:2])
    single = all(len(parts) == 2 for parts in (left, bottom, right, top, across, up))
    if single:
        a, b, c, d = (domain.add(u, v) for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)))
        domain.primitives += [(a, b, c), (a, c, d)]
        return domain
    across, up = (
        divisions(float(level), spacing, least=2) if len(parts) == 2 else parts
        for level, parts in zip(inner[:2], (across, up), strict=True)
    )
    rows = [[domain.add(u, v) for u in across[1:-1]] for v in up[1:-1]]
    for below, above in pairwise(rows):
        for number in range(len(below) - 1):
            a, b, c, d = below[number], below[number + 1], above[number + 1], above[number]
            domain.primitives += [(a, b, c), (a, c, d)]
    low, high = [domain.add(u, 0) for u in bottom], [domain.add(u, 1) for u in top]
    first = [low[0], *(domain.add(0, v) for v in left[1:-1]), high[0]]
    last = [low[-1], *(domain.add(1, v) for v in right[1:-1]), high[-1]]
    _stitch(domain, low, rows[0])
    _stitch(domain, high[::-1], rows[-1][::-1])
    _stitch(domain, first[::-1], [row[0] for row in rows][::-1])
    _stitch(domain, last, [row[-1] for row in rows])
    return domain


def isolines(outer: Array, spacing: int) -> Domain:
    """Divide a square into lines; ``outer`` are the number of lines and the level of each."""
    domain = Domain(size=2)
    count = len(divisions(float(outer[0]), ExecutionMode.SpacingEqual)) - 1
    parts = divisions(float(outer[1]), spacing)
    for line in range(count):
        row = [domain.add(part, line / count) for part in parts]
        domain.primitives += [(a, b, b) for a, b in pairwise(row)]
    return domain
