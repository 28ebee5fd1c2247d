"""Address modes, and the faces of cubes."""

from __future__ import annotations

import numpy as np

from ..runtime.values import Array


def wrapped(index: Array, size: Array, mode: str) -> Array:
    """Return integer coordinates within the image; for ``border`` as for ``clamp``."""
    if mode == "wrap":
        return index % size
    if mode == "mirror":
        return np.minimum(index % (2 * size), (-1 - index) % (2 * size))
    if mode == "mirror_once":
        return np.minimum(np.maximum(index, -1 - index), size - 1)
    return np.clip(index, 0, size - 1)


_FACES = np.array(
    [
        [[0, 0, -1], [0, -1, 0], [1, 0, 0]],
        [[0, 0, 1], [0, -1, 0], [-1, 0, 0]],
        [[1, 0, 0], [0, 0, 1], [0, 1, 0]],
        [[1, 0, 0], [0, 0, -1], [0, -1, 0]],
        [[1, 0, 0], [0, -1, 0], [0, 0, 1]],
        [[-1, 0, 0], [0, -1, 0], [0, 0, -1]],
    ],
    np.int8,
)
"""Face → the directions of s and of t on it, and of the face itself."""


def _on_face(direction: Array, face: Array) -> Array:
    """Return the parts of a direction along s, along t, and towards a face."""
    return np.einsum("nij,jn->in", _FACES[face], direction)


def cube_face(direction: Array) -> tuple[Array, Array, Array]:
    """Return the face of a direction, and the coordinates s and t on it, from 0 to 1."""
    size = np.abs(direction)
    major = np.where((size[2] >= size[0]) & (size[2] >= size[1]), 2, np.where(size[1] >= size[0], 1, 0))
    is_negative = np.take_along_axis(direction, major[None], axis=0)[0] < 0
    face = major * 2 + is_negative
    s, t, r = _on_face(direction, face)
    half = direction.dtype.type(0.5)
    return face, half * s / r + half, half * t / r + half


def cube_derivatives(direction: Array, deltas: tuple[Array, Array]) -> list[Array]:
    """Return the derivatives of s and t on the face of a direction, given those of the direction."""
    face = cube_face(direction)[0]
    s, t, r = _on_face(direction, face)
    half = direction.dtype.type(0.5)
    out = []
    for delta in deltas:
        ds, dt, dr = _on_face(delta, face)
        out.append(np.stack([half * (r * ds - s * dr) / (r * r), half * (r * dt - t * dr) / (r * r)]))
    return out


def across_edge(face: Array, x: Array, y: Array, size: Array) -> tuple[Array, Array, Array]:
    """Return face and coordinates of texels that may lie one texel beyond an edge of a face."""
    beyond_x, beyond_y = (x < 0) | (x >= size), (y < 0) | (y >= size)
    beyond = beyond_x | beyond_y
    if not bool(beyond.any()):
        return face, x, y
    y = np.where(beyond_x, np.clip(y, 0, size - 1), y)  # a corner has no texel of its own
    s, t = (np.clip((2 * axis + 1) / size - 1, -1, 1) for axis in (x, y))
    place = np.stack(np.broadcast_arrays(s, t, np.where(beyond, 1 - 1 / size, 1.0)))
    new_face, new_s, new_t = cube_face(np.einsum("nij,in->jn", _FACES[face], place))
    new_x, new_y = (np.clip(np.floor(axis * size), 0, size - 1).astype(np.int64) for axis in (new_s, new_t))
    return np.where(beyond, new_face, face), np.where(beyond, new_x, x), np.where(beyond, new_y, y)
