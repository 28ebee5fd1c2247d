"""Images: sampling, gathers, fetches, reads, writes and queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import IMAGE_READS
from hlsl_tool.spirv.enums import ImageOperands
from hlsl_tool.spirv.grammar import tables
from hlsl_tool.spirv.ir import Instruction

from ..errors import ExecutionError
from ..images.addressing import cube_derivatives
from ..images.image import Image, SampledImage, Sampler, TexelPlace
from ..images.sampling import Request, accessed_levels, gather, level_of_detail, limited, sample
from ..model.types import ImageFacts, Type
from ..runtime.code import Step
from ..runtime.handles import Varied, for_each
from ..runtime.masks import Mask
from ..runtime.memory import Access
from ..runtime.quads import across, down, wide
from ..runtime.state import Registers, State
from ..runtime.values import Array, Value, as_index, as_vector
from .context import Context, add_rows, builds, pure
from .waves import DERIVATIVES

_ZERO = np.zeros(1, np.int64)
_DEFAULT = Sampler("linear", "linear", "nearest")


# ---------------------------------------------------------------------------------------------------------- handles


def _paired(image: Any, sampler: Any) -> Any:
    if isinstance(image, Varied) and isinstance(sampler, Varied):
        pairs = [_paired(one, other) for one in image.objects for other in sampler.objects]
        return Varied(pairs, image.index * len(sampler.objects) + sampler.index)
    if isinstance(image, Varied):
        return image.mapped(lambda one: _paired(one, sampler))
    if isinstance(sampler, Varied):
        return sampler.mapped(lambda one: _paired(image, one))
    return None if image is None else SampledImage(image, sampler)


def _image_of(handle: Any) -> Any:
    if isinstance(handle, Varied):
        return handle.mapped(_image_of)
    return None if handle is None else handle.image


add_rows(
    {
        op.OpSampledImage: _paired,
        op.OpImage: _image_of,
        op.OpImageSparseTexelsResident: lambda code: code == 0,
    },
    pure,
)


Use = Callable[[Registers, State, Any, Mask], Value]
"""A function of an image, or an image with a sampler, and of the lanes that have it."""


def _for_images(inst: Instruction, handle: int, use: Use, nothing: Value = None, finish: Any = None) -> Step:
    """Return the step that uses the images of a handle, given the value for lanes that have none."""
    result = inst.result_id

    def step(r: Registers, s: State) -> None:
        value = for_each(r[handle], s.mask, lambda item, mask: nothing if item is None else use(r, s, item, mask))
        r[result] = value if finish is None else finish(value)

    return step


# --------------------------------------------------------------------------------------------------------- operands


class _Operands:
    """The image operands of an instruction: the bits of the mask with the ids that each has."""

    def __init__(self, words: Sequence[int]) -> None:
        self._ids: dict[int, list[int]] = {}
        ids = iter(words[1:])
        for bit, row in sorted(tables.ENUMERANTS["ImageOperands"].items()):
            if words and words[0] & bit:
                self._ids[bit] = [next(ids) for _ in row[1]]

    def all(self, r: Registers, bit: int) -> list[Any]:
        """Return the values of an operand, none if the instruction does not have it."""
        return [r[number] for number in self._ids.get(bit, ())]

    def get(self, r: Registers, *bits: int, default: Array | None = None) -> Any:
        """Return the value of the first of some operands that the instruction has."""
        return next((value for bit in bits for value in self.all(r, bit)), default)

    def offset(self, r: Registers, count: int) -> Array | None:
        """Return the offsets of texels, which have this many coordinates."""
        offset = self.get(r, ImageOperands.ConstOffset, ImageOperands.Offset)
        return None if offset is None else as_index(as_vector(offset))[:count]


# --------------------------------------------------------------------------------------------------------- sampling


def _named(*parts: str) -> list[int]:
    """Return the opcodes that read images and have one of some parts in their names."""
    names = {number: tables.INSTRUCTIONS[number][0] for number in IMAGE_READS}
    return [number for number, name in names.items() if any(part in name for part in parts)]


@builds(*_named("Sample", "Gather"))
def _sample(context: Context, inst: Instruction) -> Step:
    nothing, sampling = np.zeros((4, 1), np.float32), _Sampling(context, inst)
    return _for_images(inst, inst.id(0), sampling.sample, nothing, _finisher(context, inst))


def _texel(context: Context, inst: Instruction) -> Type:
    of = context.types.of(inst)
    return of.members[1] if of.members else of


def _finisher(context: Context, inst: Instruction) -> Callable[[Array], Value]:
    """Return the function that converts texels to the type of the result, of sparse instructions a struct."""
    of, texel = context.types.of(inst), _texel(context, inst)
    dtype, count = texel.dtype, texel.length

    def finish(texels: Array) -> Value:
        value = texels[:count] if count is not None else texels[0]
        value = value if value.dtype == dtype else value.astype(dtype)
        return [np.zeros(1, np.uint32), value] if of.members else value

    return finish


class _Sampling:
    """A sampling instruction: makes the request for the lanes that have one image."""

    def __init__(self, context: Context, inst: Instruction) -> None:
        name, words = tables.INSTRUCTIONS[inst.op][0], inst.ints()
        self.is_implicit = inst.op in DERIVATIVES
        self.compares, self.projects, self.gathers = ("Dref" in name, "Proj" in name, "Gather" in name)
        has_third = self.compares or self.gathers
        self.coordinate, self.third = words[1], words[2] if has_third else 0
        self.operands = _Operands(words[3 if has_third else 2 :])
        self.facts = context.image(words[0])
        self.count = self.facts.coordinates

    def sample(self, r: Registers, s: State, pair: SampledImage, mask: Mask) -> Array:
        """Return four channels, or the four texels of a gather."""
        image, sampler = pair.image, pair.sampler or _DEFAULT
        given = as_vector(r[self.coordinate]).astype(np.float32)
        reference = r[self.third].astype(np.float32) if self.compares else None
        if self.projects:
            scale = given[self.count]
            given, reference = given / scale, None if reference is None else reference / scale
        coordinates = given[: self.count]
        request = Request(
            coordinates,
            self.facts.is_cube,
            given[self.count] if self.facts.arrayed else np.zeros(1, np.float32),
            self.lod(r, s, image, coordinates),
            self.operands.offset(r, self.count),
            reference,
            self.operands.get(r, ImageOperands.MinLod),
        )
        if self.gathers:
            component = 0 if self.compares else int(r[self.third][0])
            return gather(image, sampler, request, component, self._offsets(r), mask)
        return sample(image, sampler, request, mask)

    def _offsets(self, r: Registers) -> list[Array] | None:
        offsets = self.operands.get(r, ImageOperands.ConstOffsets, ImageOperands.Offsets)
        return None if offsets is None else [as_index(offset) for offset in offsets]

    def lod(self, r: Registers, s: State, image: Image, coordinates: Array) -> Array:
        """Return the level of detail, without the bias of the sampler."""
        lod, bias = self.operands.get(r, ImageOperands.Lod), self.operands.get(r, ImageOperands.Bias)
        gradients = [as_vector(value).astype(np.float32) for value in self.operands.all(r, ImageOperands.Grad)]
        if self.is_implicit:
            gradients = [across(coordinates, s), down(coordinates, s)]
        if lod is None and gradients:
            lod = self._from_derivatives(image, coordinates, *gradients)
        found: Array = np.zeros(1, np.float32) if lod is None else lod.astype(np.float32)
        return found if bias is None else found + bias.astype(np.float32)

    def _from_derivatives(self, image: Image, coordinates: Array, x: Array, y: Array) -> Array:
        if self.facts.is_cube:
            x, y = cube_derivatives(coordinates, (x, y))
        return level_of_detail(image, x, y, self.facts.axes)


@builds(op.OpImageQueryLod)
def _query_lod(context: Context, inst: Instruction) -> Step:
    (handle, coordinate), sampling = inst.ints(), _Sampling(context, inst)

    def query(r: Registers, s: State, pair: SampledImage, _: Mask) -> Array:
        coordinates = as_vector(r[coordinate]).astype(np.float32)[: sampling.count]
        sampler = pair.sampler or _DEFAULT
        lod = sampling.lod(r, s, pair.image, coordinates) + np.float32(sampler.bias)
        levels = accessed_levels(pair.image, sampler, limited(sampler, lod))
        return np.stack([levels, lod]).astype(np.float32)

    return _for_images(inst, handle, query, np.zeros((2, 1), np.float32))


# ------------------------------------------------------------------------------------------------- fetches and writes


def _place(facts: ImageFacts, operands: _Operands, given: Array, r: Registers) -> TexelPlace:
    """Return the texels at integer coordinates."""
    count, rows = facts.axes, as_index(as_vector(given))
    layer = rows[count] if facts.arrayed or facts.is_cube else _ZERO
    offset = operands.offset(r, count)
    axes = rows[:count] if offset is None else rows[:count] + offset
    x, y, z = (*axes, _ZERO, _ZERO)[:3]
    level, number = (as_index(operands.get(r, bit, default=_ZERO)) for bit in (ImageOperands.Lod, ImageOperands.Sample))
    return TexelPlace(x, y, z, layer, level, number)


@builds(*_named("Fetch", "Read"))
def _fetch(context: Context, inst: Instruction) -> Step:
    handle, coordinate, *rest = inst.ints()
    facts, operands = context.image(handle), _Operands(rest)

    def fetch(r: Registers, s: State, image: Image, mask: Mask) -> Array:
        return image.fetch(_place(facts, operands, r[coordinate], r), mask, s.report)

    nothing = np.zeros((4, 1), _texel(context, inst).dtype)
    return _for_images(inst, handle, fetch, nothing, _finisher(context, inst))


@builds(op.OpImageWrite)
def _write(context: Context, inst: Instruction) -> Step:
    handle, coordinate, texel, *rest = inst.ints()
    facts, operands = context.image(handle), _Operands(rest)

    def write(r: Registers, s: State, image: Image, mask: Mask) -> None:
        writers = mask if s.helpers is None else mask.without(s.helpers)
        if writers.count:
            value = as_vector(r[texel])
            missing = np.zeros((4 - value.shape[0], value.shape[-1]), value.dtype)
            place = _place(facts, operands, r[coordinate], r)
            image.write(place, np.concatenate([value, missing]), writers, s.report)

    return _for_images(inst, handle, write)


@builds(op.OpImageTexelPointer, op.OpUntypedImageTexelPointerEXT)
def _texel_pointer(context: Context, inst: Instruction) -> Step:
    pointer, coordinate, number = inst.ints()[-3:]
    is_typed = inst.op == op.OpImageTexelPointer
    of = context.type_of(pointer).element if is_typed else context.types[inst.id(0)]
    result, operands = inst.result_id, _Operands([ImageOperands.Sample, number])
    facts = of.image if of is not None else None
    if facts is None:
        raise ExecutionError("a texel pointer needs the type of the image")

    def address(r: Registers, s: State, image: Image | None, mask: Mask) -> Array:
        if image is None:
            return _ZERO
        place = _place(facts, operands, r[coordinate], r)
        offsets, inside = image.offsets(place)
        if s.report is not None:
            s.report(Access("pointer", image.buffer, offsets, image.format.size, mask, None, image, place))
        return np.where(inside, offsets + image.buffer.address, 0)

    def step(r: Registers, s: State) -> None:
        value = for_each(r[pointer].load(), s.mask, lambda image, mask: address(r, s, image, mask))
        r[result] = wide(value, s.shape.lanes)

    return step


# --------------------------------------------------------------------------------------------------------- queries


@builds(op.OpImageQuerySize, op.OpImageQuerySizeLod)
def _query_size(context: Context, inst: Instruction) -> Step:
    handle, *lods = inst.ints()
    facts, of = context.image(handle), context.types.of(inst)

    def sizes(r: Registers, _: State, image: Image, __: Mask) -> Array:
        level = as_index(r[lods[0]]) if lods else _ZERO
        sides = list(image.sides[: facts.axes, np.clip(level, 0, image.levels - 1)])
        if facts.arrayed:
            layers = image.layers // 6 if facts.is_cube else image.layers
            sides.append(np.full_like(sides[0], layers))
        return (np.stack(sides) * (level < image.levels)).astype(of.dtype)

    nothing = np.zeros((facts.axes + facts.arrayed, 1), of.dtype)
    return _for_images(inst, handle, sizes, nothing, None if of.kind == "vector" else itemgetter(0))


@builds(op.OpImageQueryLevels, op.OpImageQuerySamples)
def _query_count(_: Context, inst: Instruction) -> Step:
    def count(_: Registers, __: State, image: Image, ___: Mask) -> Array:
        return np.array([image.levels if inst.op == op.OpImageQueryLevels else image.samples], np.uint32)

    return _for_images(inst, inst.id(0), count, np.zeros(1, np.uint32))
