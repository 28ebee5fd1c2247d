"""Texel formats: the numbers in memory, and the values that shaders see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.spirv.enums import ImageFormat

from ..model.layout import Leaf
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
        size = self.number.itemsize
        offsets = (np.arange(self.count, dtype=np.int64) * size)[:, None]
        return Leaf(self.number, np.dtype(f"u{size}"), offsets, size.bit_length() - 1)

    @property
    def is_integer(self) -> bool:
        """Whether shaders see integers."""
        return self.kind in ("uint", "sint")

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
        return _ENCODERS[self.kind](texels, self)


def _normalised(raw: Array) -> Array:
    return (raw / np.float64(np.iinfo(raw.dtype).max)).astype(np.float32)


def _signed_normalised(raw: Array) -> Array:
    return np.maximum(_normalised(raw), np.float32(-1))


def _integers(raw: Array) -> Array:
    """Return integers of at least 32 bits as unsigned ones of the same bits."""
    wide = raw.astype(f"{raw.dtype.kind}{max(4, raw.dtype.itemsize)}")
    return wide.view(f"u{wide.dtype.itemsize}")


def _small_floats(raw: Array) -> Array:
    """Decode 11, 11 and 10 bits as floats without sign."""
    word = raw[0]
    halves = [(word & 0x7FF) << 4, (word >> 11 & 0x7FF) << 4, (word >> 22) << 5]
    return np.stack([half.astype(np.uint16).view(np.float16).astype(np.float32) for half in halves])


def _ten_bits(raw: Array) -> Array:
    return np.stack([raw[0] >> shift & 0x3FF for shift in (0, 10, 20)] + [raw[0] >> 30])


def _ten_bits_normalised(raw: Array) -> Array:
    scale = np.array([1023, 1023, 1023, 3], np.float64)[:, None]
    return (_ten_bits(raw) / scale).astype(np.float32)


_DECODERS: dict[str, Callable[[Array], Array]] = {
    "float": lambda raw: raw if raw.dtype == np.float64 else raw.astype(np.float32),
    "unorm": _normalised,
    "snorm": _signed_normalised,
    "uint": _integers,
    "sint": _integers,
    "R11fG11fB10f": _small_floats,
    "Rgb10A2": _ten_bits_normalised,
    "Rgb10a2ui": _ten_bits,
}


def _to_float(texels: Array, form: Format) -> Array:
    return texels[: form.count].astype(form.number)


def _to_normalised(texels: Array, form: Format) -> Array:
    most = np.iinfo(form.number).max
    low = -1.0 if form.kind == "snorm" else 0.0
    clipped = np.clip(np.nan_to_num(texels[: form.count].astype(np.float64), nan=0.0), low, 1.0)
    return np.rint(clipped * most).astype(form.number)


def _to_integers(texels: Array, form: Format) -> Array:
    """Return the low bits of each channel."""
    return texels[: form.count].astype(f"u{form.number.itemsize}").view(form.number)


def _to_small_floats(texels: Array, _: Format) -> Array:
    positive = np.maximum(np.nan_to_num(texels[:3], nan=np.inf), 0).astype(np.float16).view(np.uint16).astype(np.uint32)
    red, green, blue = positive
    return (red >> 4 | green >> 4 << 11 | blue >> 5 << 22)[None].astype(np.uint32)


def _to_ten_bits(texels: Array, _: Format) -> Array:
    red, green, blue, alpha = texels.astype(np.uint32)
    return (red & 0x3FF | (green & 0x3FF) << 10 | (blue & 0x3FF) << 20 | alpha << 30)[None].astype(np.uint32)


def _to_ten_bits_normalised(texels: Array, form: Format) -> Array:
    scale = np.array([1023, 1023, 1023, 3], np.float64)[:, None]
    return _to_ten_bits(np.rint(np.clip(np.nan_to_num(texels, nan=0.0), 0, 1) * scale), form)


_ENCODERS: dict[str, Callable[[Array, Format], Array]] = {
    "float": _to_float,
    "unorm": _to_normalised,
    "snorm": _to_normalised,
    "uint": _to_integers,
    "sint": _to_integers,
    "R11fG11fB10f": _to_small_floats,
    "Rgb10A2": _to_ten_bits_normalised,
    "Rgb10a2ui": _to_ten_bits,
}

_KINDS = {"f": "float", "": "unorm", "Snorm": "snorm", "i": "sint", "ui": "uint"}
_LETTERS = {"R": 1, "Rg": 2, "Rgba": 4}
_PACKED = ("R11fG11fB10f", "Rgb10A2", "Rgb10a2ui")


def _all_formats() -> dict[str, Format]:
    out = {name: Format(name, np.dtype(np.uint32), 1, name) for name in _PACKED}
    numbers = {"f": (16, 32, 64), "": (8, 16), "Snorm": (8, 16), "i": (8, 16, 32, 64), "ui": (8, 16, 32, 64)}
    for suffix, kind in _KINDS.items():
        letter = {"float": "f", "unorm": "u", "snorm": "i", "sint": "i", "uint": "u"}[kind]
        for letters, count in _LETTERS.items():
            for bits in numbers[suffix]:
                name = f"{letters}{bits}{suffix}"
                out[name] = Format(name, np.dtype(f"{letter}{bits // 8}"), count, kind)
    return out


FORMATS = _all_formats()
"""Name in SPIR-V → format; there are more than SPIR-V has, such as ``Rg64f``."""
NAMES = {value: name for name, value in vars(ImageFormat).items() if isinstance(value, int)}
"""SPIR-V's number of a format → its name."""
