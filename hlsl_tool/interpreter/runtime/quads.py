"""Waves and quads: lanes as rows, and differences between the lanes of a quad."""

from __future__ import annotations

import numpy as np

from .state import State
from .values import Array


def wide(value: Array, lanes: int) -> Array:
    """Return a value with an entry for each lane."""
    return value if value.shape[-1] == lanes else np.broadcast_to(value, (*value.shape[:-1], lanes))


def rows(value: Array, lanes: int, width: int) -> Array:
    """Return a value with the axis of lanes split into waves, or quads, of a width."""
    return wide(value, lanes).reshape(*value.shape[:-1], -1, width)


def flat(value: Array) -> Array:
    """Return a value with one axis for the lanes, given waves or quads."""
    return np.ascontiguousarray(value).reshape(*value.shape[:-2], -1)


def in_quads(value: Array, state: State) -> Array:
    """Return a value with the axis of lanes split into quads: left, right, left below, right below."""
    order = state.extra.get("quads")
    if order is None:
        return rows(value, state.shape.lanes, 4)
    return wide(value, state.shape.lanes)[..., order]


def from_quads(value: Array, state: State) -> Array:
    """Return a value with one axis for the lanes, the opposite of ``in_quads``."""
    order = state.extra.get("quads")
    if order is None:
        return flat(value)
    out = np.empty((*value.shape[:-2], state.shape.lanes), value.dtype)
    out[..., order] = value
    return out


def across(value: Array, state: State, *, coarse: bool = False) -> Array:
    """Return the difference to the right in each quad."""
    return _difference(value, state, (1, 1, 3, 3), (0, 0, 2, 2), coarse=coarse)


def down(value: Array, state: State, *, coarse: bool = False) -> Array:
    """Return the difference downwards in each quad."""
    return _difference(value, state, (2, 3, 2, 3), (0, 1, 0, 1), coarse=coarse)


def _difference(value: Array, state: State, to: tuple[int, ...], of: tuple[int, ...], *, coarse: bool) -> Array:
    """Return the differences between lanes of each quad, coarse ones for all lanes as for the first."""
    if (value.shape[-1] == 1 and state.shape.lanes > 1) or state.shape.lanes % 4:
        return np.zeros_like(value)
    if coarse:
        to, of = to[:1] * 4, of[:1] * 4
    quads = in_quads(value, state)
    return from_quads(quads[..., list(to)] - quads[..., list(of)], state)
