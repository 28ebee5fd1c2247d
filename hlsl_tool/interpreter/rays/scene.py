"""Scenes: instances of triangles and boxes, and the hits of rays with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hlsl_tool.base.system.dataclass import dataclass, field, fields, replace
from hlsl_tool.spirv.enums import RayFlags

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
    """A top-level acceleration structure.  Rays are compared with each primitive."""

    def __init__(self, instances: list[Instance]) -> None:
        self.instances = instances
        to_world = np.array([i.transform for i in instances], np.float64).reshape(-1, 3, 4)
        corners = [geometry.corners for instance in instances for geometry in instance.geometries]
        self._tables = Tables(
            to_world,
            np.array([_inverse(transform) for transform in to_world]).reshape(-1, 3, 4),
            np.array([i.custom_index for i in instances], np.uint32),
            np.array([i.record_offset for i in instances], np.uint32),
            np.arange(len(instances)),
            np.concatenate([np.zeros((0, 3, 3)), *corners]),
        )

    def tables(self) -> Tables:
        """Return the tables to which hits refer."""
        return self._tables

    def hits(
        self, origin: Numbers, direction: Numbers, nearest: Numbers, farthest: Numbers, flags: Any, mask: Any
    ) -> Hits:
        """Return all hits of rays, arrays (3, rays), that flags and masks do not cull."""
        parts: list[Hits] = []
        start = 0
        with np.errstate(all="ignore"):
            for number, instance in enumerate(self.instances):
                matrix = self._tables.to_object[number]
                at, along = matrix[:, :3] @ origin + matrix[:, 3:], matrix[:, :3] @ direction
                for index, geometry in enumerate(instance.geometries):
                    found = _intersected(instance, geometry, at, along, flags)
                    keeps = (mask & instance.mask & 0xFF) != 0
                    inside = (
                        keeps[:, None] & (found.distance >= nearest[:, None]) & (found.distance <= farthest[:, None])
                    )
                    found.distance = np.where(inside, found.distance, np.inf)
                    shape = found.distance.shape
                    found.instance, found.geometry = np.full(shape, number), np.full(shape, index)
                    found.place = np.broadcast_to(start + np.arange(shape[1]), shape)
                    start += shape[1]
                    parts.append(found)
        return _sorted(parts, origin.shape[1])


def _inverse(transform: Numbers) -> Numbers:
    linear = np.linalg.inv(transform[:, :3])
    return np.concatenate([linear, -linear @ transform[:, 3:]], axis=1)


def _intersected(instance: Instance, geometry: Geometry, at: Numbers, along: Numbers, flags: Any) -> Hits:
    """Return the hits with one geometry, in its object, without those that flags cull."""
    if geometry.triangles is not None:
        distance, weights, is_front = _triangles(
            np.asarray(geometry.triangles, np.float64).reshape(-1, 3, 3), at, along
        )
        is_front = is_front ^ instance.flips
    else:
        distance = _boxes(np.asarray(geometry.boxes, np.float64).reshape(-1, 2, 3), at, along)
        weights, is_front = np.zeros((2, *distance.shape)), np.zeros(distance.shape, np.bool_)
    is_box = geometry.triangles is None
    opaque = geometry.opaque if instance.force_opaque is None else instance.force_opaque
    forced = np.where(flags & RayFlags.NoOpaqueKHR, False, opaque)
    is_opaque = np.where(flags & RayFlags.OpaqueKHR, True, forced)[:, None]
    culled = np.where(is_opaque, _has(flags, RayFlags.CullOpaqueKHR), _has(flags, RayFlags.CullNoOpaqueKHR))
    culled = culled | _has(flags, RayFlags.SkipAABBsKHR if is_box else RayFlags.SkipTrianglesKHR)
    if not is_box and instance.culls:
        culled = culled | (is_front & _has(flags, RayFlags.CullFrontFacingTrianglesKHR))
        culled = culled | (~is_front & _has(flags, RayFlags.CullBackFacingTrianglesKHR))
    distance = np.where(culled, np.inf, distance)
    shape = distance.shape
    primitive = np.broadcast_to(np.arange(shape[1]), shape)
    box = np.full(shape, is_box)
    return Hits(distance, None, None, primitive, box, np.broadcast_to(is_opaque, shape), is_front, weights, None)


def _has(flags: Any, flag: int) -> Any:
    """Return which rays have a flag, as a column."""
    return (flags & flag != 0)[:, None]


def _triangles(corners: Numbers, at: Numbers, along: Numbers) -> tuple[Numbers, Numbers, Any]:
    """Return distances, weights and whether the front is seen, by the algorithm of Möller and Trumbore."""
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    ray = along.T[:, None]
    normal = np.cross(ray, second[None])
    determinant = (normal * first).sum(axis=-1)
    offset = at.T[:, None] - corners[None, :, 0]
    u = (offset * normal).sum(axis=-1) / determinant
    crossed = np.cross(offset, first[None])
    v = (ray * crossed).sum(axis=-1) / determinant
    distance = (second * crossed).sum(axis=-1) / determinant
    inside = (determinant != 0) & (u >= 0) & (v >= 0) & (u + v <= 1)
    return np.where(inside, distance, np.inf), np.stack([u, v]), determinant > 0


def _boxes(corners: Numbers, at: Numbers, along: Numbers) -> Numbers:
    """Return the distances at which rays enter boxes, 0 for rays that start inside."""
    low, high = ((corners[None, :, n] - at.T[:, None]) / along.T[:, None] for n in (0, 1))
    enter = np.nanmax(np.minimum(low, high), axis=-1)
    leave = np.nanmin(np.maximum(low, high), axis=-1)
    return np.where((enter <= leave) & (leave >= 0), np.maximum(enter, 0), np.inf)


_FIELDS = ("distance", "instance", "geometry", "primitive", "is_box", "is_opaque", "is_front", "place")


def _sorted(parts: list[Hits], rays: int) -> Hits:
    """Return the hits of all geometries in order of distance."""
    if not parts:
        empty = np.zeros((rays, 0))
        flags, numbers = empty.astype(np.bool_), empty.astype(np.int64)
        return Hits(empty, numbers, numbers, numbers, flags, flags, flags, np.zeros((2, rays, 0)), numbers)
    whole = {name: np.concatenate([getattr(part, name) for part in parts], axis=1) for name in _FIELDS}
    weights = np.concatenate([part.weights for part in parts], axis=2)
    order = np.argsort(whole["distance"], axis=1, kind="stable")
    ordered = {name: np.take_along_axis(array, order, axis=1) for name, array in whole.items()}
    return Hits(weights=np.take_along_axis(weights, order[None], axis=2), **ordered)
