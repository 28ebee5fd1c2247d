"""Convert numpy arrays to textures: dimensions, layers, mip levels and channels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .backend import Backend, Bytes, ImageShape, Memory
from .encodings import Array, raw_bytes, wrong_format
from .errors import wrong_argument
from .formats import Format, by_array, by_spirv
from .signature import Parameter

_VIEWS = {("1D", False): "1d", ("1D", True): "1d-array", ("2D", False): "2d", ("2D", True): "2d-array",
          ("3D", False): "3d", ("Cube", False): "cube", ("Cube", True): "cube-array"}  # fmt: skip
_AXES = {
    "1d": "width",
    "1d-array": "layers, width",
    "2d": "height, width",
    "2d-array": "layers, height, width",
    "3d": "depth, height, width",
    "cube": "6, height, width",
    "cube-array": "6 n, height, width",
}


class Texels:
    """Encoding of an array as an image; an array with three channels gets a fourth one, with the value 1."""

    format = None

    def __init__(self, shape: ImageShape, channels: int) -> None:
        self.shape, self.channels, self.storage = shape, channels, shape.storage
        self.key = ("image", shape.view, shape.format, shape.size, shape.layers, shape.levels)

    def create(self, backend: Backend) -> Memory:
        return backend.image(self.shape)

    def encode(self, array: Array) -> Bytes:
        return raw_bytes(self._padded(array) if self.channels == 3 else array)

    def encode_levels(self, levels: Sequence[Array]) -> Bytes:
        return np.concatenate([self.encode(level) for level in levels])

    def decode(self, data: Bytes, array: Array) -> None:
        """Copy the texels of the first mip level into the array."""
        texels = data[: next(self.shape.level_sizes())[1]].view(array.dtype)
        if self.channels == 3:
            array[...] = texels.reshape(*array.shape[:-1], 4)[..., :3]
        else:
            array[...] = texels.reshape(array.shape)

    def _padded(self, array: Array) -> Array:
        one = np.iinfo(array.dtype).max if self.shape.format.component == "float" and array.dtype.kind in "ui" else 1
        wide = np.full((*array.shape[:-1], 4), one, array.dtype)
        wide[..., :3] = array
        return wide


def texture(parameter: Parameter, levels: Sequence[Array]) -> Texels:
    """Return the encoding for a texture; ``levels`` are its mip levels.  Raise ``ArgumentError`` if they do not fit."""
    name, t = parameter.name, parameter.resource.type
    view = _VIEWS.get((t.dim, t.arrayed))
    if view is None or t.multisampled:
        raise wrong_argument(name, "is a texture that kernels cannot have", "Use a texture without samples.")
    first = levels[0]
    axes = _AXES[view].count(",") + 1
    if first.ndim not in (axes, axes + 1):
        raise wrong_argument(
            name, f"has the shape {first.shape}, and needs ({_AXES[view]}) or ({_AXES[view]}, channels)"
        )
    channels = first.shape[-1] if first.ndim == axes + 1 else 1
    sides = first.shape[:axes]
    layers = sides[0] if t.arrayed or view == "cube" else 1
    if view.startswith("cube") and layers % 6:
        raise wrong_argument(name, f"has {layers} faces, and needs a multiple of 6")
    extent = sides[1:] if t.arrayed or view == "cube" else sides
    width, height, depth = (*reversed(extent), 1, 1)[:3]
    storage = parameter.kind == "storage_image"
    shape = ImageShape(view, _format(parameter, first, channels), (width, height, depth), layers, len(levels), storage)
    _check_levels(name, levels, shape, channels)
    return Texels(shape, channels)


def _format(parameter: Parameter, array: Array, channels: int) -> Format:
    name, t = parameter.name, parameter.resource.type
    fixed = by_spirv(t.format)
    stored = 4 if channels == 3 else channels
    if channels not in (1, 2, 3, 4):
        raise wrong_argument(name, f"has {channels} channels, and textures have 1, 2, 3 or 4")
    if fixed is not None:
        if (array.dtype.name, stored) != (fixed.number, fixed.channels):
            problem = f"is an array of {channels} × {array.dtype}, and needs {fixed.channels} × {fixed.number}"
            hint = f'The format of the texture in the shader is {t.format}; `[[vk::image_format("…")]]` changes it.'
            raise wrong_argument(name, problem, hint)
        return fixed
    chosen = by_array(array.dtype.name, stored, t.component)
    if chosen is None:
        raise wrong_format(name, array, t.component)
    return chosen


def _check_levels(name: str, levels: Sequence[Array], shape: ImageShape, channels: int) -> None:
    for number, (level, (extent, _)) in enumerate(zip(levels, shape.level_sizes(), strict=True)):
        texels = extent[0] * extent[1] * extent[2] * shape.layers
        if level.size != texels * channels or level.dtype != levels[0].dtype:
            width, height, depth = extent
            sides = f"{width} × {height} × {depth}"
            raise wrong_argument(name, f"has a level {number} of the shape {level.shape}, and needs {sides} texels")
