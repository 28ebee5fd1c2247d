"""Texel formats: the numbers in memory, and the values that shaders see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass

from ..model.layout import Leaf, leaf_of
from ..runtime.values import Array


@dataclass(frozen=True, slots=True)
class Format:
    """A texel format, by the name that SPIR-V has for it."""

    name: str
    number: np.dtype[Any]
    """The type of the numbers in memory."""
    count: int
    """The numbers of a texel."""
    kind: str
    """``float``, ``unorm``, ``snorm``, ``uint``, ``sint``, or the name of a packed format."""

    @property
    def size(self) -> int:
        """The size of a texel in bytes."""
        return self.number.itemsize * self.count

    @property
    def leaf(self) -> Leaf:
        """How texels are read: one number for each channel."""
        return leaf_of(self.number, np.arange(self.count) * self.number.itemsize)

    @property
    def is_integer(self) -> bool:
        """Whether shaders see integers."""
        return self.kind in ("uint", "sint", "Rgb10a2ui")

    def decode(self, raw: Array) -> Array:
        """Return four channels from the numbers in memory; missing ones are 0, alpha 1."""
        values = _DECODERS[self.kind](raw)
        if values.shape[0] == 4:
            return values
        out = np.zeros((4, *values.shape[1:]), values.dtype)
        out[3] = 1
        out[: values.shape[0]] = values
        return out

    def encode(self, texels: Array) -> Array:
        """Return the numbers in memory of four channels."""
        if self.kind in _ENCODERS:
            return _ENCODERS[self.kind](texels)[None]
        channels = texels[: self.count]
        if self.kind == "float":
            return channels.astype(self.number)
        if self.is_integer:  # the low bits
            return channels.astype(f"u{self.number.itemsize}").view(self.number)
        return scaled(channels, np.iinfo(self.number).max, -1.0 if self.kind == "snorm" else 0.0).astype(self.number)


# --------------------------------------------------------------------------------------------------- normalised numbers


def normalised(numbers: Array, most: Any) -> Array:
    """Return integers as numbers of which 1 is the largest integer."""
    return (numbers / np.float64(most)).astype(np.float32)


def scaled(values: Array, most: Any, low: float = 0.0) -> Array:
    """Return the nearest integers of numbers from 0, or ``low``, to 1; NaN becomes 0."""
    return np.rint(np.clip(np.nan_to_num(values.astype(np.float64), nan=0.0), low, 1.0) * most)


def _integers(raw: Array) -> Array:
    """Return integers of at least 32 bits as unsigned ones of the same bits."""
    wide = raw.astype(f"{raw.dtype.kind}{max(4, raw.dtype.itemsize)}")
    return wide.view(f"u{wide.dtype.itemsize}")


# --------------------------------------------------------------------------------------------------------- packed words

_SMALL_FLOATS, _TEN_BITS = (11, 11, 10), (10, 10, 10, 2)
_TEN_BITS_MOST = np.array([[(1 << width) - 1] for width in _TEN_BITS])


def _fields(raw: Array, widths: tuple[int, ...]) -> Array:
    """Return the bit fields of words, the lowest first."""
    starts = (sum(widths[:number]) for number in range(len(widths)))
    return np.stack([raw[0] >> start & (1 << width) - 1 for start, width in zip(starts, widths, strict=True)])


def _word(fields: Array, widths: tuple[int, ...]) -> Array:
    """Return words made of bit fields, the opposite of ``_fields``."""
    word = np.zeros(fields.shape[1:], np.uint32)
    for field, width in zip(fields[::-1], widths[::-1], strict=True):
        word = word << width | field.astype(np.uint32) & (1 << width) - 1
    return word


def _from_small_floats(raw: Array) -> Array:
    """Decode floats without sign: halves without their lowest bits."""
    halves = [field << 15 - width for field, width in zip(_fields(raw, _SMALL_FLOATS), _SMALL_FLOATS, strict=True)]
    return np.stack(halves).astype(np.uint16).view(np.float16).astype(np.float32)


def _to_small_floats(texels: Array) -> Array:
    halves = np.maximum(texels[:3], 0).astype(np.float16).view(np.uint16)
    return _word(
        np.stack([half >> 15 - width for half, width in zip(halves, _SMALL_FLOATS, strict=True)]), _SMALL_FLOATS
    )


_DECODERS: dict[str, Callable[[Array], Array]] = {
    "float": lambda raw: raw if raw.dtype == np.float64 else raw.astype(np.float32),
    "unorm": lambda raw: normalised(raw, np.iinfo(raw.dtype).max),
    "snorm": lambda raw: np.maximum(normalised(raw, np.iinfo(raw.dtype).max), np.float32(-1)),
    "uint": _integers,
    "sint": _integers,
    "R11fG11fB10f": _from_small_floats,
    "Rgb10A2": lambda raw: normalised(_fields(raw, _TEN_BITS), _TEN_BITS_MOST),
    "Rgb10a2ui": lambda raw: _fields(raw, _TEN_BITS),
}
_ENCODERS: dict[str, Callable[[Array], Array]] = {
    "R11fG11fB10f": _to_small_floats,
    "Rgb10A2": lambda texels: _word(scaled(texels, _TEN_BITS_MOST), _TEN_BITS),
    "Rgb10a2ui": lambda texels: _word(texels, _TEN_BITS),
}
"""Kinds whose channels are bit fields of one word."""
_KINDS = {
    "f": ("float", "f", (16, 32, 64)),
    "": ("unorm", "u", (8, 16)),
    "Snorm": ("snorm", "i", (8, 16)),
    "i": ("sint", "i", (8, 16, 32, 64)),
    "ui": ("uint", "u", (8, 16, 32, 64)),
}
"""End of a name → the kind, the letter of numpy's type, and the bits of a number."""

FORMATS = {name: Format(name, np.dtype(np.uint32), 1, name) for name in _ENCODERS} | {
    f"{letters}{bits}{suffix}": Format(f"{letters}{bits}{suffix}", np.dtype(f"{letter}{bits // 8}"), count, kind)
    for suffix, (kind, letter, sizes) in _KINDS.items()
    for letters, count in (("R", 1), ("Rg", 2), ("Rgba", 4))
    for bits in sizes
}
"""Name in SPIR-V → format; there are more than SPIR-V has, such as ``Rg64f``."""
