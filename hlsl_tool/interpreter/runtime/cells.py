"""Variables without a layout in memory (Function, Private, Input, Output): typed arrays, and pointers to parts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from hlsl_tool.base.system.dataclass import dataclass

from ..model.types import Type
from .masks import Bits, Mask
from .values import Array, Value, as_index, choose, map_leaves, widened, zeros

Index = int | npt.NDArray[np.int64]


class Cell:
    """A part of a variable that is one array, or one handle.

    The array is replaced by stores of the whole, and changed in place by stores of elements if it belongs to the cell
    alone: ``is_shared`` is set when a load hands it out.
    """

    __slots__ = ("is_shared", "owners", "shadow", "value")

    def __init__(self, value: Value, owners: int) -> None:
        self.value = value
        self.is_shared = True
        self.owners = owners
        """The number of lanes that have the variable: a store by all of them replaces the value."""
        self.shadow: Any = None
        """What an observer records about the value."""

    def own(self, lanes: int) -> Array:
        """Return the array for changes in place, of this many lanes."""
        if self.is_shared or self.value.shape[-1] != lanes:
            self.value = widened(self.value, lanes)
            self.is_shared = False
        array: Array = self.value
        return array


Node = Any
"""A cell, or a list of the nodes of a struct's members."""


def new_cells(of: Type, owners: int, value: Value = None) -> Node:
    """Return the cells of a new variable with an initial value, by default 0."""
    return map_leaves(lambda part: Cell(part, owners), zeros(of) if value is None else value)


@dataclass(slots=True, eq=False)
class CellPointer:
    """A pointer to a variable or a part of one: a node, and the indices of elements and components in its arrays."""

    node: Node
    indices: tuple[Index, ...] = ()

    def part(self, members: Sequence[int], indices: tuple[Index, ...]) -> CellPointer:
        """Return a pointer to a part, given the numbers of struct members and the indices of elements."""
        node = self.node
        for member in members:
            node = node[member]
        return CellPointer(node, self.indices + indices)

    def load(self) -> Value:
        """Return the value; indices out of bounds read 0."""
        node, indices = self.node, self.indices
        if isinstance(node, list):
            return [CellPointer(part, indices).load() for part in node]
        array = node.value
        if not indices:
            node.is_shared = True
            return array
        if all(isinstance(index, int) for index in indices):
            part = array
            for index in indices:
                if not 0 <= index < part.shape[0]:
                    return np.zeros((*part.shape[1:-1], 1), part.dtype)
                part = part[index]
            return part if node.is_shared else part.copy()
        place, inside = _clipped(array, indices)
        lanes = np.arange(array.shape[-1]) if array.shape[-1] > 1 else 0
        found = np.ascontiguousarray(np.moveaxis(array[(*place, ..., lanes)], 0, -1))
        return found if inside is None else np.where(inside, found, np.zeros((), array.dtype))

    def store(self, value: Value, mask: Mask) -> None:
        """Set the value for the lanes in the mask; those with an index out of bounds write nothing."""
        node, indices = self.node, self.indices
        if isinstance(node, list):
            for part, member in zip(node, value, strict=True):
                CellPointer(part, indices).store(member, mask)
            return
        if not indices:
            node.value = value if mask.count == node.owners else choose(mask.bits, value, node.value)
            node.is_shared = True
            return
        lanes, is_whole = mask.bits.size, mask.count == node.owners
        if all(isinstance(index, int) for index in indices):
            if not all(0 <= index < length for index, length in zip(indices, node.value.shape, strict=False)):
                return
            uniform = is_whole and value.shape[-1] == 1 and node.value.shape[-1] == 1
            array = node.own(1 if uniform else lanes)
            if is_whole:
                array[indices] = value
            else:
                np.copyto(array[indices], value, where=mask.bits)
            return
        array = node.own(lanes)
        place, inside = _clipped(array, indices)
        chosen = (mask if inside is None else mask.select(inside)).lanes
        narrowed = [index[chosen] if index.size > 1 else index for index in place]
        array[(*narrowed, ..., chosen)] = np.moveaxis(value[..., chosen] if value.shape[-1] > 1 else value, -1, 0)

    def merged(self, bits: Bits, other: CellPointer) -> CellPointer:
        """Return a pointer that is this one for the lanes in ``bits``, and the other for the rest."""
        if self.node is not other.node or len(self.indices) != len(other.indices):
            return ChosenPointer(bits, self, other)
        pairs = zip(self.indices, other.indices, strict=True)
        chosen = (a if isinstance(a, int) and a == b else np.where(bits, a, b) for a, b in pairs)
        return CellPointer(self.node, tuple(chosen))


class ChosenPointer(CellPointer):
    """A pointer that leads to different variables, depending on the lane."""

    __slots__ = ("bits", "first", "second")

    def __init__(self, bits: Bits, first: CellPointer, second: CellPointer) -> None:
        super().__init__(None)
        self.bits, self.first, self.second = bits, first, second

    def part(self, members: Sequence[int], indices: tuple[Index, ...]) -> CellPointer:
        return ChosenPointer(self.bits, self.first.part(members, indices), self.second.part(members, indices))

    def load(self) -> Value:
        return choose(self.bits, self.first.load(), self.second.load())

    def store(self, value: Value, mask: Mask) -> None:
        self.first.store(value, mask.select(self.bits))
        self.second.store(value, mask.without(self.bits))

    def merged(self, bits: Bits, other: CellPointer) -> CellPointer:
        return ChosenPointer(bits, self, other)


def _clipped(array: Array, indices: tuple[Index, ...]) -> tuple[list[Any], Bits | None]:
    """Return indices within the array, and which lanes were inside; ``None`` for all of them."""
    place = [np.clip(index, 0, max(length - 1, 0)) for index, length in zip(indices, array.shape, strict=False)]
    inside = [clipped == index for clipped, index in zip(place, indices, strict=True)]
    return place, None if all(bool(fits.all()) for fits in inside) else reduce(np.logical_and, inside)


def index_of(value: Array) -> Index:
    """Return an index of an access chain: an int if all lanes have the same one."""
    if value.shape[-1] == 1:
        return int(as_index(value)[0])
    return as_index(value)


def set_cells(node: Node, value: Value) -> None:
    """Set a whole variable, such as an input, for all lanes."""
    if isinstance(node, list):
        for part, member in zip(node, value, strict=True):
            set_cells(part, member)
    else:
        node.value, node.is_shared = value, True
