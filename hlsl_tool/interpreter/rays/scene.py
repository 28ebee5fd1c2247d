"""Scenes: instances of triangles and boxes, and the hits of rays with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hlsl_tool.base.system.dataclass import dataclass, field, fields, replace
from hlsl_tool.spirv.enums import RayFlags

from .hierarchy import SMALLEST, Hierarchy

Numbers = npt.NDArray[np.float64]
IDENTITY = np.eye(3, 4)


@dataclass(slots=True)
class Geometry:
    """Triangles, an array (count, 3, 3), or boxes, an array (count, 2, 3) of the lowest and highest corners."""

    triangles: Any = None
    boxes: Any = None
    opaque: bool = True

    @property
    def corners(self) -> Numbers:
        """The corners of each triangle, zeros for each box."""
        if self.triangles is not None:
            return np.asarray(self.triangles, np.float64).reshape(-1, 3, 3)
        return np.zeros((len(np.asarray(self.boxes).reshape(-1, 2, 3)), 3, 3))


@dataclass(slots=True)
class Instance:
    """An instance of geometries."""

    geometries: list[Geometry]
    transform: Any = field(default_factory=lambda: IDENTITY)
    """Three rows of four: from the object to the world."""
    custom_index: int = 0
    mask: int = 0xFF
    record_offset: int = 0
    """The offset in the table of hit groups."""
    culls: bool = True
    """Whether flags of rays cull triangles by their facing."""
    flips: bool = False
    """Whether counterclockwise triangles are front faces."""
    force_opaque: bool | None = None


@dataclass(slots=True)
class Hits:
    """The hits of rays with all primitives of a scene: arrays (rays, primitives) in order of distance.

    The distance is infinite where there is no hit.
    """

    distance: Numbers
    instance: Any
    geometry: Any
    primitive: Any
    is_box: Any
    is_opaque: Any
    is_front: Any
    weights: Any
    """(2, rays, primitives): the weights of the second and third corner."""
    place: Any
    """The index of the primitive among all of the scene."""

    def shifted(self, tables: Tables) -> Hits:
        """Return the hits for tables that follow others."""
        instance, place = self.instance + len(tables.custom), self.place + len(tables.corners)
        return replace(self, instance=instance, place=place)

    def merged(self, bits: Any, other: Hits) -> Hits:
        """Return these hits for the rays in ``bits``, and others for the rest."""
        count = max(self.distance.shape[1], other.distance.shape[1])
        pairs = ((getattr(self, item.name), getattr(other, item.name), item.name) for item in fields(Hits))
        parts = {
            name: np.where(bits[:, None], _padded(mine, count, name), _padded(theirs, count, name))
            for mine, theirs, name in pairs
        }
        return Hits(**parts)


def _padded(array: Any, count: int, name: str) -> Any:
    missing = count - array.shape[-1]
    if not missing:
        return array
    fill = np.inf if name == "distance" else 0
    more = np.full((*array.shape[:-1], missing), fill, array.dtype)
    return np.concatenate([array, more], axis=-1)


@dataclass(slots=True, eq=False)
class Tables:
    """Instances and primitives of one or more scenes, to which hits refer by index."""

    to_world: Numbers
    """(instances, 3, 4)"""
    to_object: Numbers
    custom: Any
    records: Any
    numbers: Any
    """The number of each instance in its scene."""
    corners: Numbers
    """(primitives, 3, 3): the corners of each triangle in its object."""

    def joined(self, other: Tables) -> Tables:
        """Return these tables, followed by others."""
        names = [item.name for item in fields(Tables)]
        return Tables(*(np.concatenate([getattr(self, name), getattr(other, name)]) for name in names))


class Scene:
    """A top-level acceleration structure: a hierarchy for each geometry with many primitives."""

    def __init__(self, instances: list[Instance]) -> None:
        self.instances = instances
        to_world = np.array([i.transform for i in instances], np.float64).reshape(-1, 3, 4)
        geometries = [geometry for instance in instances for geometry in instance.geometries]
        self._tables = Tables(
            to_world,
            np.array([_inverse(transform) for transform in to_world]).reshape(-1, 3, 4),
            np.array([i.custom_index for i in instances], np.uint32),
            np.array([i.record_offset for i in instances], np.uint32),
            np.arange(len(instances)),
            np.concatenate([np.zeros((0, 3, 3)), *(geometry.corners for geometry in geometries)]),
        )
        self._shapes = {id(geometry): Shape(geometry) for geometry in geometries}

    def tables(self) -> Tables:
        """Return the tables to which hits refer."""
        return self._tables

    def hits(
        self, origin: Numbers, direction: Numbers, nearest: Numbers, farthest: Numbers, flags: Any, mask: Any
    ) -> Hits:
        """Return all hits of rays, arrays (3, rays), that flags and masks do not cull."""
        parts: list[_Pairs] = []
        start = 0
        with np.errstate(all="ignore"):
            for number, instance in enumerate(self.instances):
                matrix = self._tables.to_object[number]
                at, along = matrix[:, :3] @ origin + matrix[:, 3:], matrix[:, :3] @ direction
                rays = np.flatnonzero((mask & instance.mask & 0xFF) != 0)
                for index, geometry in enumerate(instance.geometries):
                    shape = self._shapes[id(geometry)]
                    found = shape.hits(_Rays(at, along, nearest, farthest, flags), rays, instance)
                    found.instance, found.geometry = number, index
                    found.place = start + found.primitive
                    start += shape.count
                    parts.append(found)
        return _sorted(parts, origin.shape[1])


@dataclass(frozen=True, slots=True)
class _Rays:
    """Rays in the space of an object."""

    at: Numbers
    along: Numbers
    nearest: Numbers
    farthest: Numbers
    flags: Any


@dataclass(slots=True)
class _Pairs:
    """Rays and the primitives of one geometry that they hit."""

    ray: Any
    primitive: Any
    distance: Numbers
    is_box: bool
    is_opaque: Any
    is_front: Any
    weights: Any
    instance: int = 0
    geometry: int = 0
    place: Any = None


class Shape:
    """The primitives of a geometry, and the hierarchy over them if there are many."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self.is_box = geometry.triangles is None
        each = (geometry.boxes, 2) if self.is_box else (geometry.triangles, 3)
        self.corners = np.asarray(each[0], np.float64).reshape(-1, each[1], 3)
        self.count = len(self.corners)
        self._hierarchy: Hierarchy | None = None
        if self.count >= SMALLEST:
            self._hierarchy = Hierarchy(self.corners.min(axis=1), self.corners.max(axis=1))

    def hits(self, given: _Rays, rays: Any, instance: Instance) -> _Pairs:
        """Return the hits of some rays, without those that flags cull."""
        if self._hierarchy is not None:
            interval = given.nearest, given.farthest
            ray, primitive = self._hierarchy.candidates(given.at, given.along, *interval, rays)
        else:
            ray, primitive = np.repeat(rays, self.count), np.tile(np.arange(self.count), len(rays))
        corners, at, along = self.corners[primitive], given.at[:, ray].T, given.along[:, ray].T
        nearest, farthest = given.nearest[ray], given.farthest[ray]
        if self.is_box:
            distance = _boxes(corners, at, along, nearest)
            weights, is_front = np.zeros((2, len(ray))), np.zeros(len(ray), np.bool_)
        else:
            distance, weights, is_front = _triangles(corners, at, along)
            is_front = is_front ^ instance.flips
        opaque, culled = self._culled(given.flags[ray], instance, is_front)
        kept = np.isfinite(distance) & (distance >= nearest) & (distance <= farthest) & ~culled
        chosen = ray[kept], primitive[kept], distance[kept]
        return _Pairs(*chosen, self.is_box, opaque[kept], is_front[kept], weights[:, kept])

    def _culled(self, flags: Any, instance: Instance, is_front: Any) -> tuple[Any, Any]:
        """Return which pairs are opaque, and which of them flags cull."""
        opaque = self.geometry.opaque if instance.force_opaque is None else instance.force_opaque
        is_opaque = (flags & RayFlags.OpaqueKHR != 0) | (opaque & (flags & RayFlags.NoOpaqueKHR == 0))
        skipped = RayFlags.SkipAABBsKHR if self.is_box else RayFlags.SkipTrianglesKHR
        culled = flags & np.where(is_opaque, RayFlags.CullOpaqueKHR, RayFlags.CullNoOpaqueKHR) != 0
        culled |= flags & skipped != 0
        if not self.is_box and instance.culls:
            facing = np.where(is_front, RayFlags.CullFrontFacingTrianglesKHR, RayFlags.CullBackFacingTrianglesKHR)
            culled |= flags & facing != 0
        return is_opaque, culled


def _inverse(transform: Numbers) -> Numbers:
    linear = np.linalg.inv(transform[:, :3])
    return np.concatenate([linear, -linear @ transform[:, 3:]], axis=1)


def _triangles(corners: Numbers, at: Numbers, along: Numbers) -> tuple[Numbers, Numbers, Any]:
    """Return distances, weights and whether the front is seen, by the algorithm of Möller and Trumbore.

    ``corners`` has the shape (pairs, 3, 3), the rays (pairs, 3).
    """
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = np.cross(along, second)
    determinant = (normal * first).sum(axis=-1)
    offset = at - corners[:, 0]
    u = (offset * normal).sum(axis=-1) / determinant
    crossed = np.cross(offset, first)
    v = (along * crossed).sum(axis=-1) / determinant
    distance = (second * crossed).sum(axis=-1) / determinant
    inside = (determinant != 0) & (u >= 0) & (v >= 0) & (u + v <= 1)
    return np.where(inside, distance, np.inf), np.stack([u, v]), determinant > 0


def _boxes(corners: Numbers, at: Numbers, along: Numbers, nearest: Numbers) -> Numbers:
    """Return the distances at which rays enter boxes, the nearest one for rays that start inside."""
    low, high = ((corners[:, n] - at) / along for n in (0, 1))
    enter = np.fmax.reduce(np.minimum(low, high), axis=-1)
    leave = np.fmin.reduce(np.maximum(low, high), axis=-1)
    return np.where((enter <= leave) & (leave >= nearest), np.maximum(enter, nearest), np.inf)


def _sorted(parts: list[_Pairs], rays: int) -> Hits:
    """Return the hits of all geometries in order of distance, those at the same one in the order of the primitives."""
    none = np.zeros(0, np.int64)

    def joined(name: str) -> Any:
        arrays = (np.broadcast_to(getattr(part, name), part.ray.shape) for part in parts)
        return np.concatenate([none, *arrays]) if parts else none

    ray, distance = joined("ray").astype(np.int64), joined("distance").astype(np.float64)
    order = np.lexsort((joined("place"), distance, ray))
    ray = ray[order]
    counts = np.bincount(ray, minlength=rays)
    column = np.arange(ray.size) - np.repeat(np.cumsum(counts) - counts, counts)
    shape = (rays, int(counts.max(initial=0)))

    def placed(values: Any, dtype: Any, fill: float = 0) -> Any:
        out = np.full((*values.shape[:-1], *shape), fill, dtype)
        out[..., ray, column] = values[..., order]
        return out

    integers = {name: placed(joined(name), np.int64) for name in ("instance", "geometry", "primitive", "place")}
    flags = {name: placed(joined(name), np.bool_) for name in ("is_box", "is_opaque", "is_front")}
    weights = np.concatenate([np.zeros((2, 0)), *(part.weights for part in parts)], axis=1)
    return Hits(placed(distance, np.float64, np.inf), weights=placed(weights, np.float64), **integers, **flags)
