"""Sampling: levels of detail, filters, comparisons and gathers, as Vulkan's chapter on image operations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import product
from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass, replace

from ..runtime.masks import Mask
from ..runtime.values import Array
from .addressing import across_edge, cube_face, wrapped
from .image import Image, Sampler, TexelPlace

_ZERO = np.zeros(1, np.int64)
COMPARISONS: dict[str, Any] = {
    "never": lambda reference, texel: np.less(reference, texel) & False,
    "less": np.less,
    "equal": np.equal,
    "less-equal": np.less_equal,
    "greater": np.greater,
    "not-equal": np.not_equal,
    "greater-equal": np.greater_equal,
    "always": lambda reference, texel: np.less(reference, texel) | True,
}


@dataclass(slots=True)
class Request:
    """A sample: the coordinates and all that modifies it."""

    coordinates: Array
    """Floats, one row for each dimension; of cubes three."""
    is_cube: bool
    layer: Array
    """The layer of an array, of cube arrays the cube."""
    lod: Array
    """The level of detail, without the sampler's bias and limits."""
    offset: Array | None = None
    """Integers that are added to texel coordinates, one row for each dimension."""
    reference: Array | None = None
    """The value for comparison."""
    least: Array | None = None
    """A limit of the level of detail, beside that of the sampler."""


def level_of_detail(image: Image, across: Array, down: Array, dimensions: int) -> Array:
    """Return the logarithm of the scale of a texel, given the derivatives of normalised coordinates."""
    size = np.array(image.size[:dimensions], np.float32)[:, None]
    x, y = ((delta[:dimensions] * size).astype(np.float32) for delta in (across, down))
    scale = np.maximum((x * x).sum(axis=0), (y * y).sum(axis=0))
    return np.float32(0.5) * np.log2(scale)


def sample(image: Image, sampler: Sampler, request: Request, mask: Mask) -> Array:
    """Return four filtered channels; with a comparison, its filtered result alone."""
    lod = limited(sampler, request.lod + np.float32(sampler.bias), request.least)
    lod = np.where(np.isnan(lod), np.float32(0), lod).astype(np.float32)
    magnified = lod <= 0
    if sampler.magnify == sampler.minify or bool(magnified.all()):
        return _in_levels(image, sampler, request, lod, sampler.magnify, mask)
    if not bool(magnified.any()):
        return _in_levels(image, sampler, request, lod, sampler.minify, mask)
    near = _in_levels(image, sampler, request, lod, sampler.magnify, mask)
    return np.where(magnified, near, _in_levels(image, sampler, request, lod, sampler.minify, mask))


def limited(sampler: Sampler, lod: Array, least: Array | None = None) -> Array:
    """Return levels of detail within the limits of the sampler and of an instruction."""
    low = sampler.least if least is None else np.maximum(sampler.least, least)
    return np.clip(lod, low, np.maximum(low, sampler.most))


def accessed_levels(image: Image, sampler: Sampler, lod: Array) -> Array:
    """Return the levels of the image for levels of detail, with a fraction for a mixture of two."""
    top = image.levels - 1
    if sampler.mipmap == "nearest":
        return np.clip(np.ceil(lod + np.float32(0.5)) - 1, 0, top).astype(np.float32)
    return np.clip(lod, 0, top).astype(np.float32)


def _in_levels(image: Image, sampler: Sampler, request: Request, lod: Array, how: str, mask: Mask) -> Array:
    place = accessed_levels(image, sampler, lod)
    level = np.floor(place).astype(np.int64)
    weight = place - level.astype(np.float32)
    first = _in_level(image, sampler, request, level, how, mask)
    if not bool(weight.any()):
        return first
    second = _in_level(image, sampler, request, np.minimum(level + 1, image.levels - 1), how, mask)
    return first * (1 - weight) + second * weight


@dataclass(slots=True)
class _Level:
    """Coordinates in texels of one level, a row for each dimension."""

    texels: Array
    sizes: Array
    layer: Array
    face: Array | None
    number: Array


def _located(image: Image, request: Request, number: Array) -> _Level:
    layer = np.clip(np.rint(request.layer), 0, None).astype(np.int64)
    coordinates, face = request.coordinates, None
    if request.is_cube:
        face, *on_face = cube_face(coordinates)
        coordinates, layer = np.stack(on_face), 6 * np.minimum(layer, image.layers // 6 - 1)
    sizes = image.sides[: len(coordinates), number]
    return _Level(coordinates * sizes.astype(np.float32), sizes, np.minimum(layer, image.layers - 1), face, number)


def _integers(values: Array) -> Array:
    return np.clip(np.nan_to_num(np.floor(values), nan=0.0), -(2.0**31), 2.0**31).astype(np.int64)


def _texels(image: Image, sampler: Sampler, request: Request, place: _Level, index: list[Array], mask: Mask) -> Array:
    """Return texels at integer coordinates of a level, or the results of the comparison with them as a single row."""
    if request.offset is not None:
        index = [axis + part for axis, part in zip(index, request.offset, strict=False)]
    layer, outside = place.layer, np.zeros(1, np.bool_)
    if place.face is not None:
        face, *index = across_edge(place.face, index[0], index[1], place.sizes[0])
        layer = place.layer + face
    else:
        given, modes = index, sampler.address
        index = [wrapped(axis, size, mode) for axis, size, mode in zip(given, place.sizes, modes, strict=False)]
        for axis, texel, mode in zip(given, index, modes, strict=False):
            if mode == "border":
                outside = outside | (texel != axis)
    x, y, z = (*index, _ZERO, _ZERO)[:3]
    texels = image.fetch(TexelPlace(x, y, z, layer, place.number, _ZERO), mask)
    if bool(outside.any()):
        border = np.array(sampler.border)[:, None].astype(texels.dtype)
        texels = np.where(outside, border, texels)
    if request.reference is None:
        return texels
    reference = np.clip(request.reference, 0, 1) if image.format.kind == "unorm" else request.reference
    return COMPARISONS[sampler.compare or "less-equal"](reference, texels[0])[None].astype(np.float32)


def _in_level(image: Image, sampler: Sampler, request: Request, number: Array, how: str, mask: Mask) -> Array:
    place = _located(image, request, number)
    if how == "nearest" or image.format.is_integer:
        return _texels(image, sampler, request, place, list(_integers(place.texels)), mask)
    middles = place.texels - np.float32(0.5)
    corner = _integers(middles)
    parts = []
    for steps, weight in _corners(middles - corner.astype(np.float32)):
        index = [axis + step for axis, step in zip(corner, steps, strict=True)]
        parts.append(_texels(image, sampler, request, place, index, mask) * weight)
    return reduce(np.add, parts)


def _corners(weights: Array) -> Iterator[tuple[tuple[int, ...], Array]]:
    """Yield the corners of a cell as steps from the lowest one, with their weights."""
    for reverse in product((0, 1), repeat=len(weights)):
        steps = reverse[::-1]
        factors = (part if step else 1 - part for step, part in zip(steps, weights, strict=True))
        yield steps, reduce(np.multiply, factors)


GATHERED = ((0, 1), (1, 1), (1, 0), (0, 0))
"""The order of the texels that a gather returns, as steps from the lowest corner."""


def gather(
    image: Image, sampler: Sampler, request: Request, component: int, offsets: list[Array] | None, mask: Mask
) -> Array:
    """Return one channel of the four texels that a linear filter would read; with a comparison, its results."""
    place = _located(image, request, _ZERO)
    corner = _integers(place.texels - np.float32(0.5))
    out = []
    for number, steps in enumerate(GATHERED):
        index = [axis + step for axis, step in zip(corner, steps, strict=True)]
        if offsets is not None:
            request, index = replace(request, offset=offsets[number]), list(corner)
        texels = _texels(image, sampler, request, place, index, mask)
        out.append(texels[0 if request.reference is not None else component])
    lanes = max(row.shape[-1] for row in out)
    return np.stack([np.broadcast_to(row, (lanes,)) for row in out])
