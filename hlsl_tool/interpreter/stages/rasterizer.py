"""Rasterise: find the pixels that a primitive covers, in quads, and their positions between its vertices."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.spirv.enums import BuiltIn

from ..runtime.values import Array
from .primitives import Primitives

SUBPIXELS = 256
"""Positions are rounded to this fraction of a pixel, as GPUs do."""


_SIXTEENTHS = {
    1: ((8, 8),),
    2: ((12, 12), (4, 4)),
    4: ((6, 2), (14, 6), (2, 10), (10, 14)),
    8: ((9, 5), (7, 11), (13, 9), (5, 3), (3, 13), (1, 7), (11, 15), (15, 1)),
    16: (
        (9, 9), (7, 5), (5, 10), (12, 7), (3, 6), (10, 13), (13, 11), (11, 3),
        (6, 14), (8, 1), (4, 2), (2, 12), (0, 8), (15, 4), (14, 15), (1, 0),
    ),
}  # fmt: skip
POSITIONS = {count: np.array(places) / 16 for count, places in _SIXTEENTHS.items()}
"""Number of samples → their positions in a pixel, the standard ones of Vulkan and Direct3D."""


@dataclass(frozen=True, slots=True)
class Viewport:
    """The area of the picture that the positions from -1 to 1 fill; a negative height turns it upside down."""

    x: float
    y: float
    width: float
    height: float
    near: float = 0.0
    far: float = 1.0


@dataclass(slots=True)
class Fragments:
    """Pixels of primitives, or samples of pixels: four for each quad, of which some are not covered."""

    x: npt.NDArray[np.int64]
    y: npt.NDArray[np.int64]
    samples: npt.NDArray[np.bool_]
    """(samples, pixels): which samples are covered."""
    sample: npt.NDArray[np.int64]
    """The sample that is shaded; -1 for the whole pixel."""
    primitive: npt.NDArray[np.int64]
    """The index of the primitive of each pixel."""
    weights: Array
    """(3, pixels): the weights of the corners at the centres, linear on the screen."""
    front: npt.NDArray[np.bool_]

    @property
    def count(self) -> int:
        """The number of pixels."""
        return int(self.x.size)

    @property
    def covered(self) -> npt.NDArray[np.bool_]:
        """Which pixels have a covered sample."""
        covered: npt.NDArray[np.bool_] = np.logical_or.reduce(self.samples, axis=0)
        return covered

    @property
    def is_of_samples(self) -> bool:
        """Whether each sample is shaded by itself."""
        return bool(self.count) and int(self.sample[0]) >= 0

    def of_samples(self) -> Fragments:
        """Return a fragment for each covered sample, in quads for one sample each."""
        count = self.samples.shape[0]
        quads = np.repeat(np.arange(self.count).reshape(-1, 4), count, axis=0)
        sample = np.repeat(np.tile(np.arange(count), self.count // 4), 4)
        every = quads.reshape(-1)
        samples = self.samples[:, every] & (np.arange(count)[:, None] == sample)
        chosen = np.repeat(samples.any(axis=0).reshape(-1, 4).any(axis=1), 4)
        every, samples, sample = every[chosen], samples[:, chosen], sample[chosen]
        weights, front = self.weights[:, every], self.front[every]
        return Fragments(self.x[every], self.y[every], samples, sample, self.primitive[every], weights, front)

    def part(self, start: int, end: int) -> Fragments:
        """Return some of the pixels."""
        return Fragments(*(getattr(self, name)[..., start:end] for name in Fragments.__slots__))


Bounds = tuple[int, int, int, int]
"""The pixels that may be covered: the left and upper ones, and those behind the right and lower ones."""


def joined(parts: list[Fragments]) -> Fragments:
    """Return the fragments of several primitives."""
    return Fragments(
        *(np.concatenate([getattr(part, name) for part in parts], axis=-1) for name in Fragments.__slots__)
    )


def on_screen(positions: Array, viewport: Viewport) -> Array:
    """Return x, y in pixels, depth and 1 / w of clip positions."""
    x, y, z, w = positions.astype(np.float64)
    inverse = 1 / np.where(w == 0, 1e-30, w)
    across = (x * inverse + 1) * (viewport.width / 2) + viewport.x
    down = (y * inverse + 1) * (viewport.height / 2) + viewport.y
    depth = z * inverse * (viewport.far - viewport.near) + viewport.near
    return np.stack([across, down, depth, inverse])


def rasterized(
    primitives: Primitives, number: int, screen: Array, bounds: Bounds, *, clockwise_front: bool, samples: int = 1
) -> Fragments | None:
    """Return the fragments of one primitive; ``None`` if it covers no sample within the bounds."""
    corners = primitives.corners[number]
    points = screen[:2, corners]
    positions = POSITIONS[samples]
    if primitives.size == 3:
        return _triangle(number, points, bounds, clockwise_front, positions)
    if primitives.size == 2:
        return _line(number, points, bounds) if samples == 1 else _wide_line(number, points, bounds, positions)
    sizes = primitives.vertices.built_ins.get(BuiltIn.PointSize)
    width = float(np.broadcast_to(sizes, screen.shape[-1:])[corners[0]]) if sizes is not None else 1.0
    return _point(number, points[:, 0], width, bounds, positions)


def _quads(low: Any, high: Any, bounds: Bounds) -> tuple[Array, Array] | None:
    """Return the pixels of a rectangle, extended to quads: four pixels of each quad follow each other."""
    left, top = (max(int(np.floor(value)), least) // 2 * 2 for value, least in zip(low, bounds[:2], strict=True))
    right, bottom = (min(int(np.ceil(value)) + 1, most) for value, most in zip(high, bounds[2:], strict=True))
    if left >= right or top >= bottom:
        return None
    x, y = np.arange(left, right, 2), np.arange(top, bottom, 2)
    across, down = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
    shape = (y.size, x.size, 4)
    wide = np.broadcast_to(x[None, :, None] + across, shape).reshape(-1)
    tall = np.broadcast_to(y[:, None, None] + down, shape).reshape(-1)
    return wide, tall


def _within(x: Array, y: Array, bounds: Bounds) -> Array:
    left, top, right, bottom = bounds
    inside: Array = (x >= left) & (y >= top) & (x < right) & (y < bottom)
    return inside


def _triangle(number: int, points: Array, bounds: Bounds, clockwise_front: bool, positions: Array) -> Fragments | None:
    fixed = np.rint(points * SUBPIXELS).astype(np.int64)
    (x0, x1, x2), (y0, y1, y2) = fixed
    area = int((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0))
    pixels = _quads(points.min(axis=1), points.max(axis=1), bounds) if area else None
    if pixels is None:
        return None
    x, y = pixels
    is_clockwise = area > 0  # on the screen, where y points down
    covered = _covered(fixed, x, y, bounds, positions, is_clockwise=is_clockwise)
    weights = _weights(points, x + 0.5, y + 0.5)
    front = is_clockwise == clockwise_front
    return _selected(x, y, covered, number, weights, front)


def _covered(corners: Array, x: Array, y: Array, bounds: Bounds, positions: Array, *, is_clockwise: bool) -> Array:
    """Return (samples, pixels): which samples a convex polygon covers, by the top-left rule.

    The corners are in 1/256 of a pixel.
    """
    sign = 1 if is_clockwise else -1
    within = (positions * SUBPIXELS).astype(np.int64).T[..., None]
    at_x, at_y = x * SUBPIXELS + within[0], y * SUBPIXELS + within[1]
    covered: Array = np.broadcast_to(_within(x, y, bounds), at_x.shape)
    for (x0, y0), (x1, y1) in zip(corners.T, np.roll(corners.T, -1, axis=0), strict=True):
        dx, dy = sign * (x1 - x0), sign * (y1 - y0)
        edge = dx * (at_y - y0) - dy * (at_x - x0)
        is_top_left = dy < 0 or (dy == 0 and dx > 0)
        covered = covered & (edge >= 0 if is_top_left else edge > 0)
    return covered


_EDGES = ((1, 2), (2, 0), (0, 1))
"""The edge opposite to each vertex."""


def _weights(points: Array, x: Array, y: Array) -> Array:
    """Return the weights of the vertices at positions, by their positions before rounding."""
    edges = []
    for start, end in _EDGES:
        dx, dy = points[:, end] - points[:, start]
        edges.append(dx * (y - points[1, start]) - dy * (x - points[0, start]))
    total = edges[0] + edges[1] + edges[2]
    return np.stack(edges) / np.where(total == 0, 1, total)


def _selected(x: Array, y: Array, covered: Array, number: int, weights: Array, front: bool) -> Fragments | None:
    """Return the fragments of the quads with a covered sample."""
    chosen = np.repeat(covered.any(axis=0).reshape(-1, 4).any(axis=1), 4)
    if not bool(chosen.any()):
        return None
    count = int(np.count_nonzero(chosen))
    return Fragments(
        x[chosen],
        y[chosen],
        covered[:, chosen],
        np.full(count, -1, np.int64),
        np.full(count, number, np.int64),
        weights[:, chosen],
        np.full(count, front, np.bool_),
    )


def _point(number: int, centre: Array, width: float, bounds: Bounds, positions: Array) -> Fragments | None:
    half = width / 2
    pixels = _quads(centre - half - 1, centre + half + 1, bounds)
    if pixels is None:
        return None
    x, y = pixels
    left, top = centre - half
    at_x, at_y = x + positions[:, :1], y + positions[:, 1:]
    covered = (at_x >= left) & (at_x < left + width) & (at_y >= top) & (at_y < top + width)
    covered &= _within(x, y, bounds)
    weights = np.zeros((3, x.size))
    weights[0] = 1
    return _selected(x, y, covered, number, weights, True)


def _line(number: int, points: Array, bounds: Bounds) -> Fragments | None:
    """Cover one pixel for each step along the longer direction."""
    start, end = points[:, 0], points[:, 1]
    pixels = _quads(points.min(axis=1) - 1, points.max(axis=1) + 1, bounds)
    longer = int(abs(end[1] - start[1]) > abs(end[0] - start[0]))
    length = end[longer] - start[longer]
    if pixels is None or not length:
        return None
    x, y = pixels
    along, beside = (y, x) if longer else (x, y)
    part = (along + 0.5 - start[longer]) / length
    crossing = start[1 - longer] + (end[1 - longer] - start[1 - longer]) * part
    covered = (part >= 0) & (part < 1) & (np.floor(crossing) == beside) & _within(x, y, bounds)
    weights = np.stack([1 - part, part, np.zeros_like(part)])
    return _selected(x, y, covered[None], number, weights, True)


def _wide_line(number: int, points: Array, bounds: Bounds, positions: Array) -> Fragments | None:
    """Cover the samples of a rectangle of one pixel around a line."""
    start, along = points[:, 0], points[:, 1] - points[:, 0]
    length = float(np.hypot(*along))
    pixels = _quads(points[:, :2].min(axis=1) - 1, points[:, :2].max(axis=1) + 1, bounds)
    if pixels is None or not length:
        return None
    x, y = pixels
    beside = np.array([-along[1], along[0]]) / (2 * length)
    corners = np.stack([start - beside, start - beside + along, start + beside + along, start + beside], axis=1)
    fixed = np.rint(corners * SUBPIXELS).astype(np.int64)
    covered = _covered(fixed, x, y, bounds, positions, is_clockwise=True)
    part = ((x + 0.5 - start[0]) * along[0] + (y + 0.5 - start[1]) * along[1]) / length**2
    return _selected(x, y, covered, number, np.stack([1 - part, part, np.zeros_like(part)]), True)
