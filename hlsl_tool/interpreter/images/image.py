"""Images: texels of all levels and layers in one buffer."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass

from ..runtime.masks import Mask
from ..runtime.memory import Access, Buffer, Report, gather, scatter
from ..runtime.values import Array
from .formats import Format


class Image:
    """An image or texel buffer.

    The texels of a level are contiguous, with all its layers; the largest level is first, the samples of a texel follow
    each other.
    """

    def __init__(
        self,
        form: Format,
        size: tuple[int, int, int],
        data: Any = None,
        *,
        layers: int = 1,
        levels: int = 1,
        samples: int = 1,
        name: str = "",
    ) -> None:
        self.format, self.size, self.layers, self.levels, self.samples = form, size, layers, levels, samples
        sides = np.array(size)[:, None]
        self.sides = np.maximum(sides >> np.arange(levels), np.minimum(sides, 1))
        """The width, height and depth of each level."""
        texels = self.sides.prod(axis=0) * layers * samples
        self.starts = np.concatenate([[0], np.cumsum(texels)[:-1]]) * form.size
        total = int(texels.sum()) * form.size
        content = np.zeros(total, np.uint8) if data is None else np.frombuffer(data, np.uint8)[:total]
        if content.size < total or not content.flags.writeable:
            content = np.concatenate([content, np.zeros(total - content.size, np.uint8)])
        self.buffer = Buffer(content, name)
        self._leaf = form.leaf

    def offsets(self, place: TexelPlace) -> tuple[Array, Array]:
        """Return the offsets of texels in the buffer, and which are within the image."""
        level = np.clip(place.level, 0, self.levels - 1)
        width, height, depth = self.sides[:, level]
        x, y, z, layer, sample = place.x, place.y, place.z, place.layer, place.sample
        inside = (x >= 0) & (x < width) & (y >= 0) & (y < height) & (z >= 0) & (z < depth)
        inside &= (layer >= 0) & (layer < self.layers) & (sample >= 0) & (sample < self.samples)
        inside &= level == place.level
        index = (((layer * depth + z) * height + y) * width + x) * self.samples + sample
        return self.starts[level] + np.where(inside, index, 0) * self.format.size, inside

    def fetch(self, place: TexelPlace, mask: Mask, report: Report | None = None) -> Array:
        """Return four channels of texels; those outside are 0."""
        offsets, inside = self.offsets(place)
        if report is not None:
            report(self._access("read", offsets, place, mask))
        raw = gather(self.buffer, offsets, mask, None, self._leaf)
        return self.format.decode(raw if bool(inside.all()) else np.where(inside, raw, raw.dtype.type(0)))

    def _access(self, kind: str, offsets: Array, place: TexelPlace, mask: Mask, value: Array | None = None) -> Access:
        size = self.format.number.itemsize
        return Access(kind, self.buffer, offsets + self._leaf.offsets, size, mask, value, self, place)

    def write(self, place: TexelPlace, texels: Array, mask: Mask, report: Report | None = None) -> None:
        """Write texels of the lanes in the mask; those outside are dropped."""
        offsets, inside = self.offsets(place)
        if report is not None:
            report(self._access("write", offsets, place, mask, self.format.encode(texels)))
        chosen = mask.select(inside)
        if chosen.count:
            lanes = (mask.bits.size,)
            values = self.format.encode(np.broadcast_to(texels, texels.shape[:1] + lanes))
            where = np.broadcast_to(offsets, lanes)
            scatter(self.buffer, where, chosen, None, self._leaf, np.ascontiguousarray(values))


@dataclass(slots=True)
class TexelPlace:
    """Integer coordinates of texels."""

    x: Array
    y: Array
    z: Array
    layer: Array
    level: Array
    sample: Array


def texel_buffer(buffer: Buffer, form: Format) -> Image:
    """Return the image of a buffer that shaders read as texels."""
    image = Image(form, (buffer.size // form.size, 1, 1), buffer.bytes)
    image.buffer = buffer
    return image


@dataclass(frozen=True, slots=True)
class Sampler:
    """The state of a sampler."""

    magnify: str = "nearest"
    minify: str = "nearest"
    mipmap: str = "nearest"
    address: tuple[str, str, str] = ("clamp", "clamp", "clamp")
    """``clamp``, ``wrap``, ``mirror``, ``border`` or ``mirror_once``, by coordinate."""
    compare: str = ""
    """A comparison such as ``less-equal``; empty for a sampler that does not compare."""
    bias: float = 0.0
    least: float = 0.0
    most: float = 1000.0
    """The range of levels."""
    border: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class SampledImage:
    """An image and a sampler together."""

    image: Image
    sampler: Sampler | None

    @property
    def buffer(self) -> Buffer:
        return self.image.buffer
