"""Memory layout: where the parts of a value lie, by the module's own offsets and strides.

Variables of the storage class Workgroup have no such decorations; their parts follow each other as in C.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.spirv.analysis.module_index import ModuleIndex, literal
from hlsl_tool.spirv.enums import Decoration

from .types import POINTER, Type

Offsets = npt.NDArray[np.int64]


@dataclass(slots=True)
class Leaf:
    """A part of a value that is one array: the numpy type and the offset of each of its numbers."""

    dtype: np.dtype[Any]
    """The type of the value."""
    raw: np.dtype[Any]
    """The unsigned type of the same size that is read from memory; booleans are words."""
    offsets: Offsets
    """The offset in bytes of each number, of the shape of the value and one axis for the lanes."""
    shift: int
    """The binary logarithm of the size of a number."""


def leaf_of(dtype: np.dtype[Any], offsets: Offsets) -> Leaf:
    """Return the leaf of numbers at offsets, which have no axis for the lanes."""
    size = 4 if dtype == np.bool_ else dtype.itemsize
    return Leaf(dtype, np.dtype(f"u{size}"), offsets[..., None], size.bit_length() - 1)


@dataclass(frozen=True, slots=True)
class Place:
    """A type at an address, with the strides of the matrix that it is or of which it is a part."""

    type: Type
    matrix_stride: int = 0
    row_major: bool = False
    component_stride: int = 0
    """The distance of the components of a vector in bytes, if it is a column of a row-major matrix."""


class Layout:
    """Offsets and strides of a module's types."""

    def __init__(self, index: ModuleIndex) -> None:
        self.index = index
        self._sizes: dict[int, int] = {}

    def step(self, place: Place, index: int) -> tuple[int, Place]:
        """Return the offset of a member, or the stride of elements, and the place of the part."""
        whole = place.type
        part = whole.part(index)
        if whole.kind == "struct":
            facts = self.index.member_decorations.get((whole.id, index), {})
            stride = literal(facts, Decoration.MatrixStride) or 0
            return self.offset(whole, index), Place(part, stride, Decoration.RowMajor in facts)
        if whole.kind == "array":
            return self.stride(whole), Place(part, place.matrix_stride, place.row_major)
        size = self.size(whole.scalar)
        if whole.kind == "matrix":
            rows = part.length or 1
            stride = place.matrix_stride or size * rows
            if place.row_major:
                return size, Place(part, component_stride=stride)
            return stride, Place(part)
        return place.component_stride or size, Place(part)

    def offset(self, struct: Type, member: int) -> int:
        """Return the offset of a member in bytes."""
        explicit = literal(self.index.member_decorations.get((struct.id, member), {}), Decoration.Offset)
        if explicit is not None:
            return explicit
        offset = 0
        for part in struct.members[:member]:
            offset = round_up(offset, self.alignment(part)) + self.size(part)
        return round_up(offset, self.alignment(struct.members[member]))

    def stride(self, array: Type) -> int:
        """Return the distance of an array's elements in bytes."""
        explicit = literal(self.index.decorations.get(array.id, {}), Decoration.ArrayStride)
        return explicit or self.size(array.part(0))

    def alignment(self, of: Type) -> int:
        """Return the alignment of a type without decorations: that of its largest number."""
        of = of.innermost
        if of.kind == "struct":
            return max((self.alignment(member) for member in of.members), default=1)
        return self.size(of.scalar)

    def size(self, of: Type) -> int:
        """Return the size of a type in bytes; of a run-time array 0."""
        size = self._sizes.get(of.id)
        if size is None:
            size = self._sizes[of.id] = self._size(of)
        return size

    def _size(self, of: Type) -> int:
        if of.kind == "struct":
            ends = (self.offset(of, member) + self.size(part) for member, part in enumerate(of.members))
            return round_up(max(ends, default=0), self.alignment(of))
        if of.kind == "array":
            return self.stride(of) * (of.length or 0)
        if of.kind in ("vector", "matrix"):
            return self.size(of.part(0)) * (of.length or 0)
        if of.kind == "bool":
            return 4
        return of.dtype.itemsize if of.dtype is not None else 8

    def leaves(self, place: Place) -> Any:
        """Return the leaves of a type: one, or a list for a struct, as values have them."""
        return self._leaves(place, np.zeros((), np.int64))

    def _leaves(self, place: Place, offsets: Offsets) -> Any:
        whole = place.type
        if whole.kind == "struct":
            steps = [self.step(place, member) for member in range(len(whole.members))]
            return [self._leaves(part, offsets + offset) for offset, part in steps]
        if whole.kind in ("array", "matrix", "vector"):
            stride, part = self.step(place, 0)
            return self._leaves(part, offsets[..., None] + np.arange(whole.length or 0, dtype=np.int64) * stride)
        return leaf_of(whole.dtype if whole.dtype is not None else POINTER, offsets)


def round_up(value: int, multiple: int) -> int:
    """Return the next multiple of a number."""
    return -(-value // multiple) * multiple
