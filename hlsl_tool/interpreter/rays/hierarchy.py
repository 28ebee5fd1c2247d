"""Bounding volume hierarchies: which primitives of a geometry a ray may hit."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

WIDTH = 4
"""The number of children of a node."""
SMALLEST = 16
"""The number of primitives from which on a hierarchy is faster than a test of each one."""
RAYS = 2048
"""The number of rays that go through a hierarchy together."""
_PAD, _ROUNDING = 1e-9, 1e-12
"""Boxes are larger by this part of their coordinates, and distances may differ by this part: hits are never lost."""


class Hierarchy:
    """A tree of boxes over primitives that are sorted along a space-filling curve."""

    def __init__(self, low: Numbers, high: Numbers) -> None:
        """Build the tree from the lowest and highest corners of the primitives, arrays (count, 3)."""
        self.count = len(low)
        self._order = _curve(low, high)
        pad = _PAD * max(float(np.abs([low, high]).max(initial=0)), 1e-300) if self.count else 0.0
        level = low[self._order].T - pad, high[self._order].T + pad
        self._levels = [level]
        """(lowest corners, highest corners), arrays (3, nodes), from the root to the primitives."""
        while level[0].shape[1] > WIDTH:
            starts = np.arange(0, level[0].shape[1], WIDTH)
            level = np.minimum.reduceat(level[0], starts, axis=1), np.maximum.reduceat(level[1], starts, axis=1)
            self._levels.insert(0, level)

    def candidates(
        self, at: Numbers, along: Numbers, nearest: Numbers, farthest: Numbers, rays: Indices
    ) -> tuple[Indices, Indices]:
        """Return pairs of a ray, one of ``rays``, and a primitive whose box it meets between two distances."""
        parts = [
            self._below(at, along, nearest, farthest, rays[start : start + RAYS]) for start in range(0, len(rays), RAYS)
        ]
        none = np.zeros(0, np.int64)
        chosen, primitives = (np.concatenate([none, *(part[n] for part in parts)]) for n in (0, 1))
        return chosen, self._order[primitives]

    def _below(
        self, at: Numbers, along: Numbers, nearest: Numbers, farthest: Numbers, rays: Indices
    ) -> tuple[Indices, Indices]:
        first = self._levels[0][0].shape[1]
        chosen, nodes = np.repeat(rays, first), np.tile(np.arange(first), len(rays))
        inverse = 1 / along
        for number, (low, high) in enumerate(self._levels):
            if number:
                chosen, nodes = np.repeat(chosen, WIDTH), (nodes[:, None] * WIDTH + np.arange(WIDTH)).reshape(-1)
                exists = nodes < low.shape[1]
                chosen, nodes = chosen[exists], nodes[exists]
            start, steps = at[:, chosen], inverse[:, chosen]
            one, other = (low[:, nodes] - start) * steps, (high[:, nodes] - start) * steps
            enter = np.fmax.reduce(np.fmin(one, other), axis=0, initial=-np.inf)
            leave = np.fmin.reduce(np.fmax(one, other), axis=0, initial=np.inf)
            enter, leave = np.fmax(enter, nearest[chosen]), np.fmin(leave, farthest[chosen])
            misses = enter - leave > _ROUNDING * (np.abs(enter) + np.abs(leave))
            chosen, nodes = chosen[~misses], nodes[~misses]
        return chosen, nodes


def _curve(low: Numbers, high: Numbers) -> Indices:
    """Return the order of primitives along a Morton curve through their centres."""
    centres = (low + high) / 2
    least, most = centres.min(axis=0, initial=np.inf), centres.max(axis=0, initial=-np.inf)
    scaled = (centres - least) / np.where(most > least, most - least, 1)
    cells = np.clip(np.nan_to_num(scaled) * 1023, 0, 1023).astype(np.uint64)
    code: Any = np.zeros(len(low), np.uint64)
    for bit in range(10):
        for axis in range(3):
            code |= (cells[:, axis] >> np.uint64(bit) & np.uint64(1)) << np.uint64(3 * bit + axis)
    order: Indices = np.argsort(code, kind="stable")
    return order
