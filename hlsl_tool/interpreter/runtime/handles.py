"""Handles: images, samplers and acceleration structures, one for all lanes or one for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hlsl_tool.base.system.dataclass import dataclass

from .masks import Bits, Mask
from .values import Array, Value, as_index, choose


@dataclass(slots=True, eq=False)
class HandleTable:
    """The objects of a binding, and a pointer to one of them or to all."""

    objects: Sequence[Any] | Array
    sizes: tuple[int, ...] = ()
    """The lengths of the arrays that are still to be indexed, outermost first."""
    index: int | npt.NDArray[np.int64] = 0

    def element(self, index: Array) -> Any:
        """Return a pointer to an element."""
        inner = int(np.prod(self.sizes[1:])) if len(self.sizes) > 1 else 1
        step = as_index(index) * inner
        chosen = self.index + (int(step[0]) if step.shape[-1] == 1 else step)
        return type(self)(self.objects, self.sizes[1:], chosen)

    def load(self) -> Any:
        """Return the object, or a ``Varied`` one if lanes have different objects."""
        index, count = self.index, len(self.objects)
        if not isinstance(index, int) and bool((index == index[0]).all()):
            index = int(index[0])
        if isinstance(index, int):
            return self.objects[index] if 0 <= index < count else None
        return Varied([*self.objects, None], np.where((index < 0) | (index >= count), count, index))

    def merged(self, bits: Bits, other: HandleTable) -> HandleTable:
        """Return the pointer of this table for the lanes in ``bits``, and of another for the rest."""
        count = len(self.objects)
        chosen = np.where(bits, self.index, np.asarray(other.index) + count)
        return HandleTable([*self.objects, *other.objects], self.sizes, chosen)


@dataclass(slots=True, eq=False)
class Varied:
    """A handle that differs from lane to lane."""

    objects: Sequence[Any]
    index: npt.NDArray[np.int64]

    def merged(self, bits: Bits, other: Any) -> Varied:
        """Return this handle for the lanes in ``bits``, and another one for the rest."""
        theirs = other if isinstance(other, Varied) else Varied([other], np.zeros(1, np.int64))
        chosen = np.where(bits, self.index, theirs.index + len(self.objects))
        return Varied([*self.objects, *theirs.objects], chosen)

    def each(self, mask: Mask) -> Iterator[tuple[Any, Mask]]:
        """Yield the objects of the lanes in the mask, and the lanes that have each."""
        if self.index.shape[-1] == 1:
            yield self.objects[int(self.index[0])], mask
            return
        for number in np.unique(self.index[mask.lanes]):
            yield self.objects[int(number)], mask.select(self.index == number)

    def mapped(self, function: Callable[[Any], Any]) -> Varied:
        """Return the handle whose objects are the results of a function."""
        return Varied([function(item) for item in self.objects], self.index)


def for_each(handle: Any, mask: Mask, function: Callable[[Any, Mask], Value]) -> Value:
    """Call a function for each object of a handle with the lanes that have it; return the merged results."""
    if not isinstance(handle, Varied):
        return function(handle, mask)
    out: Value = None
    for item, lanes in handle.each(mask):
        value = function(item, lanes)
        out = value if out is None or value is None else choose(lanes.bits, value, out)
    if out is None and not mask.count:
        return function(handle.objects[0], mask)
    return out
