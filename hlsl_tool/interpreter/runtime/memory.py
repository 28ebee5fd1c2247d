"""Memory with an explicit layout: buffers in one space of 64-bit addresses, gathers and scatters.

An address consists of the number of a buffer in the upper bits and the offset in it.  So pointers to any buffer are
integers, which shaders may compare, choose between and store.  Reads out of bounds return 0, and such writes are
dropped, as with the feature `robustBufferAccess2` of Vulkan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from hlsl_tool.base.system.dataclass import dataclass

from ..model.layout import Leaf
from .masks import Mask
from .values import Array, Value, choose, map_leaves

Addresses = npt.NDArray[np.int64]
OFFSET_BITS = 40
OFFSET = (1 << OFFSET_BITS) - 1


class Buffer:
    """Bytes with views as numbers of each size; ``address`` is set when the buffer enters an address space."""

    __slots__ = ("_views", "address", "bytes", "name")

    def __init__(self, data: Array, name: str = "") -> None:
        self.bytes: npt.NDArray[np.uint8] = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
        self.name = name
        self.address = 0
        self._views: dict[int, Array] = {}

    @property
    def size(self) -> int:
        """The size in bytes."""
        return self.bytes.size

    def words(self, shift: int) -> Array:
        """Return the content as unsigned numbers of ``1 << shift`` bytes."""
        view = self._views.get(shift)
        if view is None:
            size = 1 << shift
            view = self._views[shift] = self.bytes[: self.bytes.size >> shift << shift].view(f"u{size}")
        return view


class AddressSpace:
    """The buffers of a dispatch, by the upper bits of their addresses."""

    def __init__(self) -> None:
        self.buffers: list[Buffer] = [Buffer(np.zeros(0, np.uint8))]

    def add(self, buffer: Buffer) -> int:
        """Add a buffer, and return its address."""
        buffer.address = len(self.buffers) << OFFSET_BITS
        self.buffers.append(buffer)
        return buffer.address

    @contextmanager
    def temporary(self) -> Iterator[None]:
        """Remove the buffers that are added in the context, such as shared memory, when it ends."""
        count = len(self.buffers)
        try:
            yield
        finally:
            del self.buffers[count:]

    def at(self, number: int) -> Buffer:
        """Return the buffer with this number; an empty one for a wild address."""
        return self.buffers[number] if 0 < number < len(self.buffers) else self.buffers[0]

    def by_buffer(self, addresses: Addresses, mask: Mask) -> Iterator[tuple[Buffer, Mask]]:
        """Yield the buffers at these addresses, and the lanes that have each of them."""
        numbers = addresses >> OFFSET_BITS
        first = numbers[mask.lanes[0]] if numbers.size > 1 and mask.count else numbers[0]
        if not mask.count or bool((numbers == first).all()):
            yield self.at(int(first)), mask
            return
        for number in np.unique(numbers[mask.lanes]):
            yield self.at(int(number)), mask.select(numbers == number)

    def load(self, leaves: Any, addresses: Addresses, mask: Mask, report: Report | None) -> Value:
        """Return the value at the addresses, whose parts are at the offsets of ``leaves``."""
        offsets = addresses & OFFSET
        value: Value = None
        for buffer, lanes in self.by_buffer(addresses, mask):
            part = map_leaves(partial(gather, buffer, offsets, lanes, report), leaves)
            value = part if value is None else choose(lanes.bits, part, value)
        return value

    def store(self, leaves: Any, addresses: Addresses, value: Value, mask: Mask, report: Report | None) -> None:
        """Write a value of the lanes in the mask to the addresses; the last lane at an address wins."""
        if mask.count:
            offsets = addresses & OFFSET
            for buffer, lanes in self.by_buffer(addresses, mask):
                map_leaves(partial(scatter, buffer, offsets, lanes, report), leaves, value)


@dataclass(slots=True)
class Access:
    """An access of lanes to a buffer, for observers."""

    kind: str
    """``read``, ``write``, ``atomic``, or ``pointer`` to texels for an atomic."""
    buffer: Buffer
    offsets: Array
    """The offsets in bytes of the numbers, whose last axis are the lanes; it has length 1 where they have the same."""
    size: int
    """The size of a number in bytes."""
    mask: Mask
    """The lanes; those that are not in the mask may have any offset."""
    value: Array | None = None
    """The numbers that are written."""
    image: Any = None
    """The image, for an access to texels."""
    place: Any = None
    """The coordinates of the texels."""

    @property
    def outside(self) -> Array:
        """Which numbers of lanes in the mask are out of bounds."""
        if self.image is not None:
            return ~self.image.offsets(self.place)[1] & self.mask.bits
        outside: Array = (self.offsets + self.size > self.buffer.size) & self.mask.bits
        return outside


Report = Callable[[Access], None]
"""A function that is called for each access."""


def _from_raw(raw: Array, leaf: Leaf) -> Array:
    if leaf.dtype == np.bool_:
        return raw != 0
    return raw if raw.dtype == leaf.dtype else raw.view(leaf.dtype)


def gather(buffer: Buffer, offsets: Addresses, mask: Mask, report: Report | None, leaf: Leaf) -> Array:
    """Read numbers at offsets of a buffer; those out of bounds are 0."""
    index = offsets + leaf.offsets
    if report is not None:
        report(Access("read", buffer, index.copy(), 1 << leaf.shift, mask))
    if _is_misaligned(index, leaf):
        unaligned = index[..., None] + np.arange(1 << leaf.shift)
        return _from_raw(_within(buffer.bytes, unaligned).view(leaf.raw)[..., 0], leaf)
    index >>= leaf.shift
    words = buffer.words(leaf.shift)
    if not index.size:
        return np.zeros(index.shape, leaf.dtype)
    return _from_raw(words.take(index) if int(index.max()) < words.size else _within(words, index), leaf)


def _is_misaligned(index: Addresses, leaf: Leaf) -> bool:
    """Return whether any address is no multiple of the size of a number."""
    unused = (1 << leaf.shift) - 1
    return bool(unused) and bool(int(np.bitwise_or.reduce(index.reshape(-1), initial=0)) & unused)


def _within(words: Array, index: Addresses) -> Array:
    """Return numbers of a buffer, 0 for those out of bounds."""
    raw = words.take(index, mode="clip") if words.size else np.zeros(index.shape, words.dtype)
    raw[index >= words.size] = 0
    return raw


def scatter(buffer: Buffer, offsets: Addresses, mask: Mask, report: Report | None, leaf: Leaf, value: Array) -> None:
    """Write numbers of the lanes in the mask at offsets of a buffer; those out of bounds are dropped."""
    index = offsets + leaf.offsets
    if report is not None:
        report(Access("write", buffer, index.copy(), 1 << leaf.shift, mask, value))
    raw = value.astype(leaf.raw) if leaf.dtype == np.bool_ else value.view(leaf.raw)
    if index.shape[-1] > 1 and not mask.is_whole:
        index = index[..., mask.lanes]
        raw = raw[..., mask.lanes] if raw.shape[-1] > 1 else raw
    elif index.shape[-1] == 1 and raw.shape[-1] > 1:  # all lanes write to one place: the last one is last
        raw = raw[..., mask.lanes[-1:]]
    if _is_misaligned(index, leaf):
        index = index[..., None] + np.arange(1 << leaf.shift)
        raw = np.broadcast_to(np.ascontiguousarray(raw)[..., None].view(np.uint8), index.shape)
        words = buffer.words(0)
    else:
        index >>= leaf.shift
        words = buffer.words(leaf.shift)
    if index.size and int(index.max()) >= words.size:
        inside = index < words.size
        words[index[inside]] = np.broadcast_to(raw, index.shape)[inside]
        return
    words[index] = raw
