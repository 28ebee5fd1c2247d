"""Primitives between the vertex and the pixel stage: assembly and clipping."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import numpy.typing as npt

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv.enums import BuiltIn

from ..errors import ExecutionError
from ..runtime.values import Array
from .interface import Slot, Values, at_vertices

Corners = npt.NDArray[np.int64]
"""(primitives, 3): the numbers of the vertices; points and lines repeat their last vertex.  More with adjacency."""


@dataclass(slots=True)
class Primitives:
    """Primitives with the values of their vertices."""

    size: int
    """The number of vertices of a primitive: 1, 2 or 3; 4 or 6 with adjacency."""
    corners: Corners
    vertices: Values
    provoking: npt.NDArray[np.int64]
    """The vertex of each primitive that has the values of flat inputs."""
    numbers: npt.NDArray[np.int64]
    """The number of each primitive in the draw."""
    own: Values = field(default_factory=Values)
    """The values of whole primitives."""

    def chosen(self, primitives: Any) -> Primitives:
        """Return some of the primitives, given by their indices or as booleans."""
        slots = {slot: at_vertices(value, primitives) for slot, value in self.own.slots.items()}
        built_ins = {number: at_vertices(value, primitives) for number, value in self.own.built_ins.items()}
        own = Values(slots, built_ins)
        corners, provoking, numbers = self.corners[primitives], self.provoking[primitives], self.numbers[primitives]
        return Primitives(self.size, corners, self.vertices, provoking, numbers, own)


ADJACENT = {"lines with adjacency": (4, (1, 2, 2)), "triangles with adjacency": (6, (0, 2, 4))}
"""Topology → the vertices of a primitive with those beside it, and which are its own."""
TOPOLOGIES = ("points", "lines", "line strip", "triangles", "triangle strip", *ADJACENT)


def assembled(topology: str, count: int) -> tuple[int, Corners]:
    """Return the size of primitives and the vertices of each one, for ``count`` vertices in order."""
    order = np.arange(count)
    if topology == "points":
        return 1, np.repeat(order[:, None], 3, axis=1)
    if topology in ("lines", "line strip"):
        first = order[: count - 1 : 2 if topology == "lines" else 1][: count // 2 if topology == "lines" else None]
        return 2, np.stack([first, first + 1, first + 1], axis=1)
    if topology == "triangles":
        return 3, order[: count // 3 * 3].reshape(-1, 3)
    if topology in ADJACENT:
        size = ADJACENT[topology][0]
        return size, order[: count // size * size].reshape(-1, size)
    if topology == "triangle strip":
        first = order[: max(count - 2, 0)]
        odd = first & 1
        return 3, np.stack([first, first + 1 + odd, first + 2 - odd], axis=1)
    raise ExecutionError(f"there is no topology `{topology}` (there are: {', '.join(TOPOLOGIES)})")


def without_adjacency(topology: str, corners: Corners) -> Corners:
    """Return the vertices of primitives without those beside them."""
    return corners[:, ADJACENT[topology][1]] if topology in ADJACENT else corners


def clipped(given: Primitives, linear: Collection[Slot]) -> Primitives:
    """Clip triangles to the range of depths and to the clip distances; drop other primitives that are outside.

    ``linear`` are the slots that are interpolated without perspective.
    """
    given = _culled(given)
    planes = _distances(given.vertices)
    inside: Any = (planes >= 0).T[given.corners]  # (primitives, corners, planes)
    fits: Any = inside.all(axis=(1, 2))
    if bool(fits.all()):
        return given
    partly = inside.any(axis=1).all(axis=1) & ~fits if given.size == 3 else np.zeros(len(fits), np.bool_)
    weights: list[Any] = []
    sources: list[Any] = []
    pieces: list[tuple[int, Any]] = []  # (primitive, numbers of the new vertices)
    total = planes.shape[-1]
    for number in np.flatnonzero(partly):
        polygon = _cut(planes[:, given.corners[number]])
        start = total + len(weights)
        weights += polygon
        sources += [given.corners[number]] * len(polygon)
        pieces += [(int(number), (start, start + k, start + k + 1)) for k in range(1, len(polygon) - 1)]
    kept = np.flatnonzero(fits)
    origins = np.concatenate([kept, np.array([number for number, _ in pieces], np.int64)])
    corners = np.concatenate([given.corners[kept], np.array([c for _, c in pieces], np.int64).reshape(-1, 3)])
    order = np.argsort(origins, kind="stable")
    origins = origins[order]
    cut = np.array(sources, np.int64).reshape(-1, 3), np.array(weights).reshape(-1, 3)
    vertices = _extended(given.vertices, *cut, linear)
    out = given.chosen(origins)
    out.corners, out.vertices = corners[order], vertices
    return out


def _culled(given: Primitives) -> Primitives:
    """Drop the primitives all vertices of which have a negative cull distance, the same one."""
    cull = given.vertices.built_ins.get(BuiltIn.CullDistance)
    if cull is None:
        return given
    count = given.vertices.built_ins[BuiltIn.Position].shape[-1]
    outside = (np.broadcast_to(cull, (cull.shape[0], count)) < 0)[:, given.corners].all(axis=2).any(axis=0)
    return given.chosen(~outside)


def _distances(vertices: Values) -> Array:
    """Return the signed distances of the vertices from each clipping plane, a row for each plane."""
    z, w = vertices.built_ins[BuiltIn.Position].astype(np.float64)[2:]
    rows = [w - 1e-9, z, w - z]
    clip = vertices.built_ins.get(BuiltIn.ClipDistance)
    if clip is not None:
        rows += list(np.broadcast_to(clip, (clip.shape[0], w.size)).astype(np.float64))
    return np.stack([np.broadcast_to(row, w.shape) for row in rows])


def _cut(distances: Array) -> list[Array]:
    """Return the corners of a triangle's visible part as weights of its vertices."""
    polygon = [np.eye(3)[number] for number in range(3)]
    for plane in distances:
        out = []
        for number, corner in enumerate(polygon):
            following = polygon[(number + 1) % len(polygon)]
            here, there = float(corner @ plane), float(following @ plane)
            if here >= 0:
                out.append(corner)
            if (here >= 0) != (there >= 0):
                part = here / (here - there)
                out.append(corner + (following - corner) * part)
        polygon = out
        if not polygon:
            break
    return polygon


def _extended(vertices: Values, sources: Corners, weights: Array, linear: Collection[Slot]) -> Values:
    """Return the vertices with those that clipping made, mixtures of three others.

    The slots of ``linear`` are mixed by the weights that are linear on the screen.
    """
    positions = vertices.built_ins[BuiltIn.Position]
    count = positions.shape[-1]
    on_screen = weights * positions[3][sources].astype(np.float64)
    on_screen /= on_screen.sum(axis=-1, keepdims=True)

    def extend(values: Array, weights: Array) -> Array:
        wide = np.broadcast_to(values, (*values.shape[:-1], count))
        if values.dtype.kind == "f":
            mixed = (wide[..., sources].astype(np.float64) * weights).sum(axis=-1).astype(values.dtype)
        else:
            mixed = wide[..., sources[:, 0]]
        return np.concatenate([wide, mixed], axis=-1)

    slots = {slot: extend(values, on_screen if slot in linear else weights) for slot, values in vertices.slots.items()}
    built_ins = {
        number: extend(value, weights) for number, value in vertices.built_ins.items() if isinstance(value, np.ndarray)
    }
    return Values(slots, built_ins)
