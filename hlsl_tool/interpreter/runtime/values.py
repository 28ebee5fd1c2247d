"""Values: arrays with one axis for the lanes at the end, which has length 1 where all lanes have the same value.

Values do not change: each instruction makes a new one, or a view of another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ExecutionError
from ..model.types import Type
from .masks import Bits

Array = npt.NDArray[Any]
Value = Any
"""An array, a list of the members of a struct, or a handle."""


def map_leaves(function: Callable[..., Any], *trees: Value) -> Value:
    """Apply a function to the corresponding arrays of values of one type."""
    if isinstance(trees[0], list):
        return [map_leaves(function, *parts) for parts in zip(*trees, strict=True)]
    return function(*trees)


def zeros(of: Type, lead: tuple[int, ...] = ()) -> Value:
    """Return the value 0 of a type, with further axes ``lead`` in front; ``None`` for handles."""
    if of.kind == "struct":
        return [zeros(member, lead) for member in of.members]
    if of.dtype is not None:
        return np.zeros((*lead, *of.shape, 1), of.dtype)
    if of.kind == "array" and of.element is not None:
        return zeros(of.element, (*lead, of.length or 0))
    return None


def lanes_of(values: Sequence[Array]) -> int:
    """Return the length of the axis of lanes of the result of several arrays."""
    return max(value.shape[-1] for value in values)


def stacked(parts: Sequence[Value]) -> Value:
    """Return the value of an array, matrix or vector from those of its elements."""
    first = parts[0]
    if isinstance(first, list):
        return [stacked(members) for members in zip(*parts, strict=True)]
    out = np.empty((len(parts), *first.shape[:-1], lanes_of(parts)), first.dtype)
    for number, part in enumerate(parts):
        out[number] = part
    return out


def choose(bits: Bits, chosen: Value, other: Value) -> Value:
    """Return ``chosen`` for the lanes in ``bits``, and ``other`` for the others."""
    if chosen is other:
        return chosen
    if isinstance(chosen, np.ndarray):
        return np.where(bits, chosen, other)
    if isinstance(chosen, list):
        return [choose(bits, a, b) for a, b in zip(chosen, other, strict=True)]
    if hasattr(chosen, "merged"):
        return chosen.merged(bits, other)
    if hasattr(other, "merged"):
        return other.merged(~bits, chosen)
    raise ExecutionError(f"lanes choose between different objects of the type {type(chosen).__name__}")


def widened(value: Array, lanes: int) -> Array:
    """Return an array of this many lanes, which may be changed."""
    if value.shape[-1] == lanes:
        return value.copy()
    return np.repeat(value, lanes, axis=-1)


def signed(value: Array) -> Array:
    """Return integers as signed ones of the same bits."""
    return value.view(_SIGNED[value.dtype.itemsize])


def unsigned(value: Array) -> Array:
    """Return integers as unsigned ones of the same bits."""
    return value.view(_UNSIGNED[value.dtype.itemsize])


_SIGNED = {size: np.dtype(f"i{size}") for size in (1, 2, 4, 8)}
_UNSIGNED = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}


def as_index(value: Array) -> npt.NDArray[np.int64]:
    """Return the value of an index, which is signed, with 64 bits."""
    return signed(value).astype(np.int64) if value.dtype.kind == "u" else value.astype(np.int64)


def as_vector(value: Array) -> Array:
    """Return a vector as it is, and a scalar as a vector of one component."""
    return value if value.ndim > 1 else value[None]


def reinterpreted(value: Array, dtype: npt.DTypeLike) -> Array:
    """Return the bits of a vector or scalar as a vector of numbers of another size; the first one has the low bits."""
    by_lane = np.ascontiguousarray(np.moveaxis(as_vector(value), -1, 0))
    return np.ascontiguousarray(np.moveaxis(by_lane.view(dtype), 0, -1))
