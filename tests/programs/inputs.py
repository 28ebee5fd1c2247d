"""Make up resources for a shader of which only modules are available: the same data for each of its modules."""

from __future__ import annotations

import collections
import random
import struct
from collections.abc import Iterable
from dataclasses import dataclass, replace

from hlsl_tool.gpu.formats import formats
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl.interface.raw_layout import extent
from hlsl_tool.wgsl.module.view import View
from tests.execute.made_up import Unknown
from tests.execute.test_rays import SCENE
from tests.execute.vulkan import Place, Resource, image, sampler, storage, texels, texture, uniform

D, S = e.Decoration, e.StorageClass
ROOM = 65536
"""Additional bytes after the last member of a storage buffer."""
UNSIZED = 16
"""Elements of an array of resources without a length."""
DISTINCT = 4
"""Resources of an array that differ; the others repeat them."""
EDGE, LEVELS, DEPTH = 32, 4, 8
MOST = 1024
"""The largest array of resources."""
LARGEST = 1 << 22
"""The largest buffer in bytes."""
FORMATS = {
    getattr(e.ImageFormat, form.spirv): form.spirv.lower().replace("ui", "u") for form in formats() if form.spirv
}
"""SPIR-V's number of a format → the tests' name."""
CHANNELS = {"r": 1, "rg": 2, "rgba": 4}


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable with a binding: its set and binding, the arrays around it, and the type of an element."""

    place: tuple[int, int]
    name: str
    type: int
    count: int
    storage: int
    uses: int
    """Instructions that name the variable."""


def variables(view: View) -> Iterable[Variable]:
    """Yield the variables with bindings."""
    uses = collections.Counter(
        number for function in view.module.functions for inst in function.instructions() for number in used_ids(inst)
    )
    for inst in view.module.globals:
        if inst.op != op.OpVariable or not view.has(inst.result_id, D.Binding):
            continue
        binding = view.literal(inst.result_id, D.Binding) or 0
        place = view.literal(inst.result_id, D.DescriptorSet) or 0, binding
        kind, count = view.pointee(inst.type_id), 1
        while view.type(kind).op in (op.OpTypeArray, op.OpTypeRuntimeArray):
            count *= view.length(kind) if view.type(kind).op == op.OpTypeArray else UNSIZED
            kind = view.type(kind).id(0)
        yield Variable(
            place, view.names.get(inst.result_id, ""), kind, min(count, MOST), inst.id(0), uses[inst.result_id]
        )


def resources(views: list[View], seed: int) -> dict[Place, Resource]:
    """Make up contents for all bindings that at least one of a shader's modules uses."""
    groups: dict[tuple[int, int], list[tuple[View, Variable]]] = {}
    for view in views:
        for variable in variables(view):
            groups.setdefault(variable.place, []).append((view, variable))
    made: dict[Place, Resource] = {}
    for place, users in groups.items():
        count = max(variable.count for _, variable in users)
        distinct = [_merged(users, seed, number) for number in range(min(count, DISTINCT))]
        for number in range(count):
            made[(*place, number) if count > 1 else place] = distinct[number % len(distinct)]
    return made


def push_constants(views: list[View], seed: int) -> bytes:
    """Make up contents for the push constants; ``b""`` if there are none."""
    for view in views:
        for inst in view.module.globals:
            if inst.op == op.OpVariable and inst.id(0) == S.PushConstant:
                kind = view.pointee(inst.type_id)
                data = bytearray(-(-extent(view, kind) // 4) * 4)
                Filler(view, random.Random(f"push {seed}"), data).fill(kind, 0)
                return bytes(data)
    return b""


def _merged(users: list[tuple[View, Variable]], seed: int, number: int) -> Resource:
    """Return one resource for all variables with the same binding: an image and a sampler may share it.

    If their images differ, the most used one is chosen.
    """
    made: Resource | None = None
    for view, variable in sorted(users, key=lambda user: -user[1].uses):
        one = _resource(view, variable, random.Random(f"{variable.place} {seed} {number}"), seed)
        if made is None or made.kind == one.kind:
            is_buffer = one.kind in ("storage", "uniform")
            made = one if made is None or (is_buffer and len(one.data) > len(made.data)) else made
        elif {made.kind, one.kind} <= {"texture", "sampler", "combined"}:
            picture = made if made.kind != "sampler" else one
            made = replace(picture, kind="combined", filter="linear", address="wrap")
        else:
            raise Unknown(f"{variable.name} is a {made.kind} and a {one.kind}")
    assert made is not None
    return made


def _resource(view: View, variable: Variable, numbers: random.Random, seed: int) -> Resource:
    inst = view.type(variable.type)
    if inst.op == op.OpTypeSampler:
        return sampler("linear", "wrap", compare="less_equal" if _compares(view, variable) else "")
    if inst.op == op.OpTypeSampledImage:
        picture = _picture(view, view.type(inst.id(0)), variable, numbers)
        return replace(picture, kind="combined", filter="linear", address="wrap")
    if inst.op == op.OpTypeImage:
        return _picture(view, inst, variable, numbers)
    if inst.op == op.OpTypeAccelerationStructureKHR:
        return SCENE
    if inst.op != op.OpTypeStruct:
        raise Unknown(f"{variable.name} is of a kind that is not made up")
    is_uniform = variable.storage == S.Uniform and not view.has(variable.type, D.BufferBlock)
    size = min(extent(view, variable.type) + (0 if is_uniform else ROOM), LARGEST)
    data = bytearray(max(-(-size // 16) * 16, 256))
    Filler(view, numbers, data, floats_in_words=not is_uniform and bool(seed % 2)).fill(variable.type, 0)
    return uniform(bytes(data)) if is_uniform else storage(bytes(data))


_COMPARING = frozenset((op.OpImageSampleDrefImplicitLod, op.OpImageSampleDrefExplicitLod, op.OpImageDrefGather))


def _compares(view: View, variable: Variable) -> bool:
    """Return whether a sampler does comparisons: its name suggests it, or the module samples in no other manner."""
    word = variable.name.lower()
    samples = {inst.op for function in view.module.functions for inst in function.instructions()}
    if not samples & _COMPARING:
        return False
    return any(part in word for part in ("cmp", "comp", "shadow")) or not samples & {
        op.OpImageSampleImplicitLod, op.OpImageSampleExplicitLod, op.OpImageGather,
    }  # fmt: skip


def _picture(view: View, inst: Instruction, variable: Variable, numbers: random.Random) -> Resource:
    dimension, arrayed, samples, sampled = inst.id(1), inst.id(3), inst.id(4), inst.id(5)
    if dimension == e.Dim.SubpassData or samples:
        raise Unknown(f"{variable.name} is an input attachment or has samples")
    scalar = view.type(inst.id(0))
    suffix = "f" if scalar.op == op.OpTypeFloat else "i" if scalar.id(1) else "u"
    if scalar.id(0) == 64:
        raise Unknown(f"{variable.name} has texels of 64 bits")
    form = FORMATS.get(inst.id(6)) if inst.id(6) else f"rgba32{suffix}"
    if form is None:
        raise Unknown(f"{variable.name} has a format that is not made up")
    if dimension == e.Dim.Buffer:
        return texels(_texels(form, 4096, numbers), form, writable=sampled == 2)
    name = {e.Dim.Dim1D: "1d", e.Dim.Dim2D: "2d", e.Dim.Dim3D: "3d", e.Dim.Cube: "cube"}.get(dimension)
    if name is None:
        raise Unknown(f"{variable.name} has a dimension that is not made up")
    if sampled == 2:
        name = "2d_array" if name == "cube" else name
        layers = 6 if name == "2d_array" or arrayed else 1
        name += "_array" if arrayed and not name.endswith("_array") else ""
        return image(_texels(form, _count(name, layers, 1), numbers), form, _size(name), name, layers=layers)
    layers = 6 if name == "cube" or arrayed else 1
    name += "_array" if arrayed else ""
    levels = LEVELS
    return replace(
        texture(_texels(form, _count(name, layers, levels), numbers), form, _size(name), name, levels=levels),
        layers=layers,
    )


def _size(name: str) -> tuple[int, ...]:
    return (EDGE, EDGE, DEPTH) if name == "3d" else (EDGE,) if name.startswith("1d") else (EDGE, EDGE)


def _count(name: str, layers: int, levels: int) -> int:
    """Return the number of texels in all levels and layers."""
    total = 0
    for level in range(levels):
        texel_count = layers
        for edge in _size(name):
            texel_count *= max(1, edge >> level)
        total += texel_count
    return total


def _texels(form: str, count: int, numbers: random.Random) -> bytes:
    channels = form.removesuffix("snorm").rstrip("0123456789fiu")
    bits = int("".join(c for c in form if c.isdigit()))
    total = count * CHANNELS[channels]
    if form.endswith("f"):
        spelled = "e" if bits == 16 else "f"
        return struct.pack(f"<{total}{spelled}", *(numbers.uniform(0, 1) for _ in range(total)))
    if form.endswith(("i", "u")):
        spelled = {8: "B", 16: "H", 32: "I"}[bits]
        return struct.pack(f"<{total}{spelled}", *(numbers.randrange(12) for _ in range(total)))
    return numbers.randbytes(total * bits // 8)


class Filler:
    """Fills a block's bytes with small numbers of its members' types."""

    def __init__(self, view: View, numbers: random.Random, data: bytearray, *, floats_in_words: bool = False) -> None:
        self.view, self.random, self.data = view, numbers, data
        self.floats_in_words = floats_in_words
        """Whether the words of byte-address buffers are floats."""

    def fill(self, kind: int, at: int, row_major: bool = False, stride: int = 0) -> None:
        view = self.view
        inst = view.type(kind)
        if at >= len(self.data):
            return
        if inst.op == op.OpTypeStruct:
            for index, member in enumerate(inst.ints()):
                offset = view.member_literal(kind, index, D.Offset) or 0
                self.fill(member, at + offset, *view.matrix_layout(kind, index))
        elif inst.op in (op.OpTypeArray, op.OpTypeRuntimeArray):
            step = view.literal(kind, D.ArrayStride) or 4
            left = (len(self.data) - at) // step
            for number in range(min(left, view.length(kind)) if inst.op == op.OpTypeArray else left):
                self.fill(inst.id(0), at + number * step, row_major, stride)
        elif inst.op == op.OpTypeMatrix:
            column = view.type(inst.id(0))
            width = view.type(column.id(0)).id(0) // 8
            lines, within = (column.id(1), inst.id(1)) if row_major else (inst.id(1), column.id(1))
            for line in range(lines):
                for number in range(within):
                    self.fill(column.id(0), at + line * stride + number * width)
        elif inst.op == op.OpTypeVector:
            width = view.type(inst.id(0)).id(0) // 8
            for number in range(inst.id(1)):
                self.fill(inst.id(0), at + number * width)
        elif inst.op in (op.OpTypeInt, op.OpTypeFloat):
            self._number(inst, at)

    def _number(self, inst: Instruction, at: int) -> None:
        size = inst.id(0) // 8
        if inst.op == op.OpTypeFloat or (self.floats_in_words and size == 4):
            packed = struct.pack({2: "<e", 4: "<f", 8: "<d"}[size], self.random.uniform(0.05, 2))
        else:
            packed = self.random.randrange(12).to_bytes(size, "little")
        self.data[at : at + size] = packed[: max(0, len(self.data) - at)]
