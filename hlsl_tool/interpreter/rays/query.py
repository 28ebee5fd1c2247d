"""Ray queries: candidates one after the other, and the hit that is committed."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlsl_tool.spirv.enums import RayFlags

from ..runtime.masks import Bits
from .scene import Hits, Scene

NONE, TRIANGLE, GENERATED = 0, 1, 2
"""The kinds of committed intersections; candidates are triangles (0) or boxes (1)."""


class RayQuery:
    """The ray queries of all lanes, in one variable."""

    def __init__(self, scene: Scene, ray: dict[str, Any]) -> None:
        self.tables = scene.tables()
        """What hits refer to by their instance, and by their place among all primitives."""
        self.ray = ray
        """``origin``, ``direction``, ``nearest``, ``farthest``, ``flags``: arrays whose last axis are the lanes."""
        rays = ray["flags"].shape[0]
        names = ("origin", "direction", "nearest", "farthest", "flags", "mask")
        self.hits: Hits = scene.hits(*(ray[name] for name in names))
        self.next = np.zeros(rays, np.int64)
        self.candidate = np.zeros(rays, np.int64)
        """The column of the current candidate."""
        self.kind = np.full(rays, NONE, np.uint32)
        self.committed = np.zeros(rays, np.int64)
        """The column of the committed hit."""
        self.distance = np.array(ray["farthest"], np.float64)
        """The distance of the committed hit; before, the end of the ray."""
        self.is_done = np.zeros(rays, np.bool_)

    def merged(self, bits: Bits, other: Any) -> RayQuery:
        """Return this query for the lanes in ``bits``, and another one for the rest."""
        if not isinstance(other, RayQuery):
            return self
        out = RayQuery.__new__(RayQuery)
        out.ray = {name: np.where(bits, value, other.ray[name]) for name, value in self.ray.items()}
        out.tables, theirs = self.tables, other.hits
        if self.tables != other.tables:
            out.tables, theirs = self.tables.joined(other.tables), other.hits.shifted(self.tables)
        out.hits = self.hits.merged(bits, theirs)
        for name in ("next", "candidate", "kind", "committed", "distance", "is_done"):
            setattr(out, name, np.where(bits, getattr(self, name), getattr(other, name)))
        return out

    def proceed(self, bits: Bits) -> Bits:
        """Go on to the next candidate that a shader must decide on; return which lanes have one."""
        found = np.zeros(bits.shape, np.bool_)
        count = self.hits.distance.shape[1]
        rows = np.arange(bits.size)
        for _ in range(count + 1):
            self.is_done |= bits & (self.next >= count)
            active = bits & ~self.is_done & ~found
            if not bool(active.any()):
                break
            column = np.minimum(self.next, count - 1)
            distance = self.hits.distance[rows, column]
            is_box = self.hits.is_box[rows, column]
            possible = active & np.isfinite(distance) & (is_box | (distance < self.distance))
            self.is_done |= active & ~np.isfinite(distance)
            decided = possible & self.hits.is_opaque[rows, column] & ~is_box
            self._commit(decided, column, distance, TRIANGLE)
            waiting = possible & ~decided
            self.candidate = np.where(waiting, column, self.candidate)
            found |= waiting
            self.next = np.where(active, self.next + 1, self.next)
        return found

    def _commit(self, bits: Bits, column: Any, distance: Any, kind: int) -> None:
        self.committed = np.where(bits, column, self.committed)
        self.distance = np.where(bits, distance, self.distance)
        self.kind = np.where(bits, np.uint32(kind), self.kind)
        self.is_done = self.is_done | (bits & (self.ray["flags"] & RayFlags.TerminateOnFirstHitKHR != 0))

    def confirm(self, bits: Bits) -> None:
        """Commit the candidates, which are triangles."""
        rows = np.arange(bits.size)
        self._commit(bits, self.candidate, self.hits.distance[rows, self.candidate], TRIANGLE)

    def generate(self, bits: Bits, distance: Any) -> None:
        """Commit hits at distances in the boxes that are candidates."""
        inside = bits & (distance >= self.ray["nearest"]) & (distance <= self.distance)
        self._commit(inside, self.candidate, distance, GENERATED)

    def terminate(self, bits: Bits) -> None:
        """End the search."""
        self.is_done = self.is_done | bits

    # ---- what shaders ask for

    def of_hit(self, name: str, *, committed: bool) -> Any:
        """Return a part of the committed hit or of the candidate, one for each lane."""
        column = self.committed if committed else self.candidate
        array = getattr(self.hits, name)
        if not array.shape[-1]:
            return np.zeros((*array.shape[:-2], array.shape[-2]), array.dtype)
        return np.take_along_axis(array, np.broadcast_to(column[:, None], (*array.shape[:-1], 1)), axis=-1)[..., 0]

    def intersection(self, *, committed: bool) -> Any:
        """Return the kind of the committed hit, or of the candidate."""
        if committed:
            return self.kind
        return self.of_hit("is_box", committed=False).astype(np.uint32)

    def t(self, *, committed: bool) -> Any:
        """Return the distance of the committed hit (or of the end of the ray), or of the candidate."""
        return self.distance if committed else self.of_hit("distance", committed=False)

    def matrix(self, name: str, *, committed: bool) -> Any:
        """Return the transform of the instance: (4 columns, 3 rows, lanes)."""
        matrices = _rows(getattr(self.tables, name), self.of_hit("instance", committed=committed))
        return np.moveaxis(matrices, 0, -1).swapaxes(0, 1)

    def object_ray(self, *, committed: bool, origin: bool) -> Any:
        """Return the origin or direction of the ray in the object."""
        columns = self.matrix("to_object", committed=committed)
        vector = self.ray["origin" if origin else "direction"]
        turned = columns[0] * vector[0] + columns[1] * vector[1] + columns[2] * vector[2]
        return turned + columns[3] if origin else turned

    def of_instance(self, name: str, *, committed: bool) -> Any:
        """Return a number of the instance: ``custom``, ``records`` or ``numbers``."""
        return _rows(getattr(self.tables, name), self.of_hit("instance", committed=committed))

    def corners(self, *, committed: bool) -> Any:
        """Return the corners of the triangle in its object: (3 corners, 3, lanes)."""
        return np.moveaxis(_rows(self.tables.corners, self.of_hit("place", committed=committed)), 0, -1)


def _rows(table: Any, index: Any) -> Any:
    """Return rows of a table; zeros if the scene is empty."""
    return table[index] if len(table) else np.zeros((*index.shape, *table.shape[1:]), table.dtype)
