"""Masks: the lanes that execute an instruction."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Bits = npt.NDArray[np.bool_]
Lanes = npt.NDArray[np.intp]


class Mask:
    """A set of lanes; it does not change."""

    __slots__ = ("_lanes", "bits", "count")

    def __init__(self, bits: Bits, count: int = -1) -> None:
        self.bits = bits
        self.count = int(np.count_nonzero(bits)) if count < 0 else count
        self._lanes: Lanes | None = None

    @property
    def is_whole(self) -> bool:
        return self.count == self.bits.size

    @property
    def lanes(self) -> Lanes:
        """The numbers of the lanes, in ascending order."""
        if self._lanes is None:
            self._lanes = np.flatnonzero(self.bits)
        return self._lanes

    def select(self, bits: Bits) -> Mask:
        """Return the lanes that are in ``bits``, too; this mask if it is all of them."""
        chosen = self.bits & bits
        count = int(np.count_nonzero(chosen))
        return self if count == self.count else Mask(chosen, count)

    def without(self, bits: Bits) -> Mask:
        """Return the lanes that are not in ``bits``; this mask if it is all of them."""
        return self.select(~bits)

    def union(self, other: Mask) -> Mask:
        """Return the lanes of both masks, which have none in common."""
        return Mask(self.bits | other.bits, self.count + other.count)
