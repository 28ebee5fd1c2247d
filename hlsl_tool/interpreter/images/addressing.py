"""Address modes, and the faces of cubes."""

from __future__ import annotations

import numpy as np

from ..runtime.values import Array


def wrapped(index: Array, size: Array, mode: str) -> tuple[Array, Array | None]:
    """Return integer coordinates within the image, and for ``border`` which were inside."""
    if mode == "wrap":
        return index % size, None
    if mode == "mirror":
        folded = index % (2 * size)
        return np.where(folded < size, folded, 2 * size - 1 - folded), None
    if mode == "mirror_once":
        return np.minimum(np.where(index < 0, -1 - index, index), size - 1), None
    clamped = np.clip(index, 0, size - 1)
    return clamped, (clamped == index) if mode == "border" else None


_MAJOR = ((0, 2, 1), (0, 2, 1), (1, 0, 2), (1, 0, 2), (2, 0, 1), (2, 0, 1))
"""Face → axes of the major direction, of s and of t."""
_SIGNS = ((-1, -1), (1, -1), (1, 1), (1, -1), (1, -1), (-1, -1))
"""Face → signs of s and t along these axes."""


def _on_face(direction: Array, face: Array) -> tuple[Array, Array, Array]:
    """Return the parts of a direction along s, along t, and towards a face."""
    s, t, r = (np.zeros_like(direction[0]) for _ in range(3))
    for number in range(6):
        chosen = face == number
        major, along_s, along_t = _MAJOR[number]
        sign_s, sign_t = _SIGNS[number]
        s = np.where(chosen, sign_s * direction[along_s], s)
        t = np.where(chosen, sign_t * direction[along_t], t)
        r = np.where(chosen, (1 - 2 * (number & 1)) * direction[major], r)
    return s, t, r


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
    if not bool((beyond_x | beyond_y).any()):
        return face, x, y
    y = np.where(beyond_x, np.clip(y, 0, size - 1), y)  # a corner has no texel of its own
    beyond_y = beyond_y & ~beyond_x
    s, t = (2 * x + 1) / size - 1, (2 * y + 1) / size - 1
    depth = np.where(beyond_x | beyond_y, 1 - 1 / size, 1.0)
    s, t = np.clip(s, -1, 1), np.clip(t, -1, 1)
    direction = np.zeros((3, *np.broadcast_shapes(face.shape, s.shape)))
    for number in range(6):
        chosen = face == number
        major, along_s, along_t = _MAJOR[number]
        sign_s, sign_t = _SIGNS[number]
        direction[major] = np.where(chosen, depth * (1 - 2 * (number & 1)), direction[major])
        direction[along_s] = np.where(chosen, sign_s * s, direction[along_s])
        direction[along_t] = np.where(chosen, sign_t * t, direction[along_t])
    new_face, new_s, new_t = cube_face(direction)
    new_x = np.clip(np.floor(new_s * size), 0, size - 1).astype(np.int64)
    new_y = np.clip(np.floor(new_t * size), 0, size - 1).astype(np.int64)
    beyond = beyond_x | beyond_y
    return np.where(beyond, new_face, face), np.where(beyond, new_x, x), np.where(beyond, new_y, y)
