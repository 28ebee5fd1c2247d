"""Images: sampling, gathers, fetches, reads, writes and queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import Dim, ImageOperands
from hlsl_tool.spirv.ir import Instruction

from ..errors import ExecutionError
from ..images.addressing import cube_derivatives
from ..images.image import Image, SampledImage, Sampler, TexelPlace
from ..images.sampling import Request, gather, level_of_detail, sample
from ..model.types import ImageFacts
from ..runtime.code import Step
from ..runtime.handles import Varied, for_each
from ..runtime.masks import Mask
from ..runtime.memory import Access
from ..runtime.quads import across, down, wide
from ..runtime.state import Registers, State
from ..runtime.values import Array, Value, as_index
from .context import Context, builds, pure

_ZERO = np.zeros(1, np.int64)
_DIMENSIONS = {Dim.Dim1D: 1, Dim.Dim2D: 2, Dim.Dim3D: 3, Dim.Cube: 3, Dim.Rect: 2, Dim.Buffer: 1, Dim.SubpassData: 2}
_DEFAULT = Sampler("linear", "linear", "nearest")


def dimensions(facts: ImageFacts) -> int:
    """Return the number of coordinates without the layer."""
    return _DIMENSIONS[facts.dim]


# ---------------------------------------------------------------------------------------------------------- handles


@builds(op.OpSampledImage)
def _sampled_image(_: Context, inst: Instruction) -> Step:
    return pure(_paired, inst.result_id, inst.ints()[:2])


def _paired(image: Any, sampler: Any) -> Any:
    if isinstance(image, Varied) and isinstance(sampler, Varied):
        pairs = [_paired(one, other) for one in image.objects for other in sampler.objects]
        return Varied(pairs, image.index * len(sampler.objects) + sampler.index)
    if isinstance(image, Varied):
        return image.mapped(lambda one: _paired(one, sampler))
    if isinstance(sampler, Varied):
        return sampler.mapped(lambda one: _paired(image, one))
    return None if image is None else SampledImage(image, sampler)


@builds(op.OpImage)
def _image(_: Context, inst: Instruction) -> Step:
    def apart(handle: Any) -> Any:
        if isinstance(handle, Varied):
            return handle.mapped(apart)
        return None if handle is None else handle.image

    return pure(apart, inst.result_id, inst.ints())


# --------------------------------------------------------------------------------------------------------- operands


@dataclass(slots=True)
class Extras:
    """The ids of the image operands of an instruction; 0 for missing ones."""

    bias: int = 0
    lod: int = 0
    across: int = 0
    down: int = 0
    offset: int = 0
    offsets: int = 0
    sample: int = 0
    least: int = 0


_EXTRAS = (
    (ImageOperands.Bias, ("bias",)),
    (ImageOperands.Lod, ("lod",)),
    (ImageOperands.Grad, ("across", "down")),
    (ImageOperands.ConstOffset, ("offset",)),
    (ImageOperands.Offset, ("offset",)),
    (ImageOperands.ConstOffsets, ("offsets",)),
    (ImageOperands.Sample, ("sample",)),
    (ImageOperands.MinLod, ("least",)),
    (ImageOperands.MakeTexelAvailable, ("",)),
    (ImageOperands.MakeTexelVisible, ("",)),
    (ImageOperands.Offsets, ("offsets",)),
)


def extras_of(words: list[int]) -> Extras:
    """Return the image operands, given the mask and the ids that follow it."""
    extras = Extras()
    if words:
        mask, *ids = words
        remaining = iter(ids)
        for bit, names in _EXTRAS:
            if mask & bit:
                for name in names:
                    number = next(remaining)
                    if name:
                        setattr(extras, name, number)
    return extras


def _offset(value: Array | None, count: int) -> Array | None:
    if value is None:
        return None
    return as_index(value if value.ndim > 1 else value[None])[:count]


# --------------------------------------------------------------------------------------------------------- sampling


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a sampling instruction has beside the coordinate."""

    is_implicit: bool = False
    compares: bool = False
    projects: bool = False
    gathers: bool = False
    is_sparse: bool = False


_SAMPLES = {
    op.OpImageSampleImplicitLod: _Kind(is_implicit=True),
    op.OpImageSampleExplicitLod: _Kind(),
    op.OpImageSampleDrefImplicitLod: _Kind(is_implicit=True, compares=True),
    op.OpImageSampleDrefExplicitLod: _Kind(compares=True),
    op.OpImageSampleProjImplicitLod: _Kind(is_implicit=True, projects=True),
    op.OpImageSampleProjExplicitLod: _Kind(projects=True),
    op.OpImageSampleProjDrefImplicitLod: _Kind(is_implicit=True, compares=True, projects=True),
    op.OpImageSampleProjDrefExplicitLod: _Kind(compares=True, projects=True),
    op.OpImageGather: _Kind(gathers=True),
    op.OpImageDrefGather: _Kind(gathers=True, compares=True),
    op.OpImageSparseSampleImplicitLod: _Kind(is_implicit=True, is_sparse=True),
    op.OpImageSparseSampleExplicitLod: _Kind(is_sparse=True),
    op.OpImageSparseSampleDrefImplicitLod: _Kind(is_implicit=True, compares=True, is_sparse=True),
    op.OpImageSparseSampleDrefExplicitLod: _Kind(compares=True, is_sparse=True),
    op.OpImageSparseGather: _Kind(gathers=True, is_sparse=True),
    op.OpImageSparseDrefGather: _Kind(gathers=True, compares=True, is_sparse=True),
}


@builds(*_SAMPLES)
def _sample(context: Context, inst: Instruction) -> Step:
    kind, words, result = _SAMPLES[inst.op], inst.ints(), inst.result_id
    facts = context.type_of(words[0]).image
    assert facts is not None
    takes_third = kind.compares or kind.gathers
    third = words[2] if takes_third else 0
    sampling = _Sampling(kind, facts, extras_of(words[3 if takes_third else 2 :]), words[1], third)
    finish = _finisher(context, inst, kind)

    def step(r: Registers, s: State) -> None:
        r[result] = finish(for_each(r[words[0]], s.mask, lambda pair, mask: sampling(r, s, pair, mask)))

    return step


def _finisher(context: Context, inst: Instruction, kind: _Kind) -> Callable[[Array], Value]:
    """Return the function that converts texels to the type of the result."""
    of = context.types.of(inst)
    texel = of.members[1] if kind.is_sparse else of
    dtype, count = texel.dtype, texel.length

    def finish(texels: Array) -> Value:
        value = texels[:count] if count is not None else texels[0]
        value = value if value.dtype == dtype else value.astype(dtype)
        return [np.zeros(1, np.uint32), value] if kind.is_sparse else value

    return finish


class _Sampling:
    """A sampling instruction: makes the request for the lanes that have one image."""

    def __init__(self, kind: _Kind, facts: ImageFacts, extras: Extras, coordinate: int, third: int) -> None:
        self.kind, self.facts, self.extras, self.coordinate, self.third = kind, facts, extras, coordinate, third
        self.count = dimensions(facts)

    def __call__(self, r: Registers, s: State, pair: SampledImage | None, mask: Mask) -> Array:
        if pair is None:
            return np.zeros((4, 1), np.float32)
        image, sampler = pair.image, pair.sampler or _DEFAULT
        given = r[self.coordinate]
        given = (given if given.ndim > 1 else given[None]).astype(np.float32)
        reference = r[self.third].astype(np.float32) if self.kind.compares else None
        if self.kind.projects:
            given, reference = given[:-1] / given[-1], None if reference is None else reference / given[-1]
        coordinates = given[: self.count]
        layer = given[self.count] if self.facts.arrayed else np.zeros(1, np.float32)
        is_cube = self.facts.dim == Dim.Cube
        offset = _offset(r[self.extras.offset] if self.extras.offset else None, self.count)
        lod = self._lod(r, s, image, coordinates)
        request = Request(coordinates, is_cube, layer, lod, offset, reference)
        if self.kind.gathers:
            component = 0 if self.kind.compares else int(r[self.third][0])
            return gather(image, sampler, request, component, self._offsets(r), mask)
        return sample(image, sampler, request, mask)

    def _offsets(self, r: Registers) -> list[Array] | None:
        if not self.extras.offsets:
            return None
        return [as_index(offset) for offset in r[self.extras.offsets]]

    def _lod(self, r: Registers, s: State, image: Image, coordinates: Array) -> Array:
        extras = self.extras
        if extras.lod:
            lod = r[extras.lod].astype(np.float32)
        elif extras.across:
            x, y = ((d if d.ndim > 1 else d[None]).astype(np.float32) for d in (r[extras.across], r[extras.down]))
            lod = self._from_derivatives(image, coordinates, x, y)
        elif self.kind.is_implicit:
            lod = self._from_derivatives(image, coordinates, across(coordinates, s), down(coordinates, s))
            if extras.bias:
                lod = lod + r[extras.bias].astype(np.float32)
        else:
            lod = np.zeros(1, np.float32)
        return np.maximum(lod, r[extras.least].astype(np.float32)) if extras.least else lod

    def _from_derivatives(self, image: Image, coordinates: Array, x: Array, y: Array) -> Array:
        if self.facts.dim == Dim.Cube:
            x, y = cube_derivatives(coordinates, (x, y))
            return level_of_detail(image, x, y, 2)
        return level_of_detail(image, x, y, self.count)


@builds(op.OpImageQueryLod)
def _query_lod(context: Context, inst: Instruction) -> Step:
    words, result = inst.ints(), inst.result_id
    facts = context.type_of(words[0]).image
    assert facts is not None
    sampling = _Sampling(_Kind(is_implicit=True), facts, Extras(), words[1], 0)

    def query(r: Registers, s: State, pair: SampledImage | None) -> Array:
        if pair is None:
            return np.zeros((2, 1), np.float32)
        given = r[words[1]]
        coordinates = (given if given.ndim > 1 else given[None]).astype(np.float32)[: sampling.count]
        lod = sampling._lod(r, s, pair.image, coordinates)
        sampler = pair.sampler or _DEFAULT
        level = np.clip(np.clip(lod, sampler.least, sampler.most), 0, pair.image.levels - 1)
        if sampler.mipmap == "nearest":
            level = np.clip(np.ceil(level + np.float32(0.5)) - 1, 0, pair.image.levels - 1)
        return np.stack([level, lod]).astype(np.float32)

    def step(r: Registers, s: State) -> None:
        r[result] = for_each(r[words[0]], s.mask, lambda pair, _: query(r, s, pair))

    return step


# ------------------------------------------------------------------------------------------------- fetches and writes


def _place(facts: ImageFacts, extras: Extras, given: Array, r: Registers) -> TexelPlace:
    """Return the texels at integer coordinates."""
    rows = as_index(given if given.ndim > 1 else given[None])
    count = 2 if facts.dim == Dim.Cube else dimensions(facts)
    layer = rows[count] if facts.arrayed or facts.dim == Dim.Cube else _ZERO
    rows = rows[:count]
    offset = _offset(r[extras.offset] if extras.offset else None, count)
    if offset is not None:
        rows = rows + offset
    x, y, z = (*rows, _ZERO, _ZERO)[:3]
    level = as_index(r[extras.lod]) if extras.lod else _ZERO
    number = as_index(r[extras.sample]) if extras.sample else _ZERO
    return TexelPlace(x, y, z, layer, level, number)


_READS = {
    op.OpImageFetch: _Kind(),
    op.OpImageRead: _Kind(),
    op.OpImageSparseFetch: _Kind(is_sparse=True),
    op.OpImageSparseRead: _Kind(is_sparse=True),
}


@builds(*_READS)
def _fetch(context: Context, inst: Instruction) -> Step:
    words, result, kind = inst.ints(), inst.result_id, _READS[inst.op]
    facts = context.type_of(words[0]).image
    assert facts is not None
    extras, finish = extras_of(words[2:]), _finisher(context, inst, kind)
    texel = context.types.of(inst).members[1] if kind.is_sparse else context.types.of(inst)
    nothing = np.zeros((4, 1), texel.dtype)

    def read(r: Registers, s: State, image: Image | None, mask: Mask) -> Array:
        return nothing if image is None else image.fetch(_place(facts, extras, r[words[1]], r), mask, s.report)

    def step(r: Registers, s: State) -> None:
        r[result] = finish(for_each(r[words[0]], s.mask, lambda image, mask: read(r, s, image, mask)))

    return step


@builds(op.OpImageWrite)
def _write(context: Context, inst: Instruction) -> Step:
    handle, coordinate, texel, *rest = inst.ints()
    facts = context.type_of(handle).image
    assert facts is not None
    extras = extras_of(rest)

    def write(r: Registers, s: State, image: Image | None, mask: Mask) -> None:
        if image is not None:
            value = r[texel] if r[texel].ndim > 1 else r[texel][None]
            if value.shape[0] < 4:
                value = np.concatenate([value, np.zeros((4 - value.shape[0], value.shape[-1]), value.dtype)])
            image.write(_place(facts, extras, r[coordinate], r), value, mask, s.report)

    def step(r: Registers, s: State) -> None:
        writers = s.writers
        if writers.count:
            for_each(r[handle], writers, lambda image, mask: write(r, s, image, mask))

    return step


@builds(op.OpImageSparseTexelsResident)
def _resident(_: Context, inst: Instruction) -> Step:
    return pure(lambda code: code == 0, inst.result_id, inst.ints())


@builds(op.OpImageTexelPointer, op.OpUntypedImageTexelPointerEXT)
def _texel_pointer(context: Context, inst: Instruction) -> Step:
    if inst.op == op.OpImageTexelPointer:
        pointer, coordinate, number = inst.ints()
        of = context.type_of(pointer).element
    else:
        image, pointer, coordinate, number = inst.ints()
        of = context.types[image]
    result = inst.result_id
    facts = of.image if of is not None else None
    if facts is None:
        raise ExecutionError("a texel pointer needs the type of the image")

    def address(r: Registers, s: State, image: Image | None, mask: Mask) -> Array:
        if image is None:
            return _ZERO
        place = _place(facts, Extras(sample=number), r[coordinate], r)
        offsets, inside = image.offsets(place)
        if s.report is not None:
            s.report(Access("pointer", image.buffer, offsets, image.format.size, mask, None, image, place))
        return np.where(inside, offsets + image.buffer.address, 0)

    def step(r: Registers, s: State) -> None:
        value = for_each(r[pointer].load(), s.mask, lambda image, mask: address(r, s, image, mask))
        r[result] = wide(value, s.shape.lanes)

    return step


# --------------------------------------------------------------------------------------------------------- queries


def _sizes(facts: ImageFacts, image: Image | None, level: Array) -> Array:
    count = 2 if facts.dim == Dim.Cube else dimensions(facts)
    rows = count + facts.arrayed
    if image is None:
        return np.zeros((rows, 1), np.uint32)
    at = np.clip(level, 0, image.levels - 1)
    sides = [image.widths[at], image.heights[at], image.depths[at]][:count]
    if facts.arrayed:
        layers = image.layers // 6 if facts.dim == Dim.Cube else image.layers
        sides.append(np.full_like(sides[0], layers))
    return np.stack(sides).astype(np.uint32) * (level < image.levels)


@builds(op.OpImageQuerySize, op.OpImageQuerySizeLod)
def _query_size(context: Context, inst: Instruction) -> Step:
    words, result = inst.ints(), inst.result_id
    facts, of = context.type_of(words[0]).image, context.types.of(inst)
    assert facts is not None

    def step(r: Registers, s: State) -> None:
        level = as_index(r[words[1]]) if len(words) > 1 else _ZERO
        sizes = for_each(r[words[0]], s.mask, lambda image, _: _sizes(facts, image, level)).astype(of.dtype)
        r[result] = sizes if of.kind == "vector" else sizes[0]

    return step


@builds(op.OpImageQueryLevels, op.OpImageQuerySamples)
def _query_count(_: Context, inst: Instruction) -> Step:
    result, handle = inst.result_id, inst.id(0)
    name = "levels" if inst.op == op.OpImageQueryLevels else "samples"

    def step(r: Registers, s: State) -> None:
        r[result] = for_each(r[handle], s.mask, lambda image, _: np.array([getattr(image, name, 0)], np.uint32))

    return step
