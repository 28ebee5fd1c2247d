"""Resources made up for a compute shader of which only the module is known: small numbers of the right types."""

from __future__ import annotations

import random
import struct

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.wgsl import Binding
from hlsl_tool.wgsl.raw import extent, has_runtime_array, least_size
from hlsl_tool.wgsl.view import View
from tests.execute.vulkan import Place, Resource, image, sampler, storage, texture, uniform

SIZE = 4096
"""The bytes of a storage buffer without an end, about."""
EDGE = 8
FORMATS = {"float": "rgba32f", "unfilterable-float": "rgba32f", "sint": "rgba32i", "uint": "rgba32u", "depth": "d32"}
STORAGE_FORMATS = {
    "r32float": "r32f", "rg32float": "rg32f", "rgba32float": "rgba32f", "rgba16float": "rgba16f", "r32sint": "r32i",
    "rg32sint": "rg32i", "rgba32sint": "rgba32i", "r32uint": "r32u", "rg32uint": "rg32u", "rgba32uint": "rgba32u",
    "rgba8unorm": "rgba8",
}  # fmt: skip
TEXELS = {"r32": 4, "rg32": 8, "rgba32": 16, "rgba16": 8, "rgba8": 4, "d32": 4}
WORD = struct.Struct("<I")


class Unknown(Exception):
    """A resource of which nothing can be made up; says which."""


def resources(view: View, bindings: list[Binding], seed: int) -> dict[Place, Resource]:
    """What the bindings that are used ask for, by their places in SPIR-V."""
    numbers = random.Random(seed)
    found: dict[Place, Resource] = {}
    for binding in bindings:
        source = binding.source
        if not binding.visibility:
            continue
        assert source is not None
        if "set" in source and (source["set"], source["binding"]) != (binding.group, binding.binding):
            raise Unknown(f"{binding.name} has not its binding in SPIR-V")
        place = binding.group, binding.binding
        if "buffer" in binding.layout:
            type_id = view.pointee(view.type_of(binding.variable))
            data = _buffer(view, type_id, numbers)
            found[place] = uniform(data) if binding.layout["buffer"]["type"] == "uniform" else storage(data)
        elif "sampler" in binding.layout:
            compare = "less_equal" if binding.layout["sampler"]["type"] == "comparison" else ""
            found[place] = sampler("nearest", "clamp", compare=compare)
        else:
            found[place] = _texture(binding, numbers)
    return found


def _texture(binding: Binding, numbers: random.Random) -> Resource:
    layout = binding.layout.get("texture") or binding.layout["storageTexture"]
    view = layout["viewDimension"].replace("-", "_")
    size = (EDGE, EDGE, EDGE) if view == "3d" else (EDGE,) if view == "1d" else (EDGE, EDGE)
    layers = 6 if view == "cube" else 2 if view == "2d_array" else 1
    if layout.get("multisampled") or view == "cube_array":
        raise Unknown(f"{binding.name} is a texture of a kind that is not made up")
    storage_format = layout.get("format")
    form = STORAGE_FORMATS.get(storage_format) if storage_format else FORMATS[layout["sampleType"]]
    if form is None or form == "d32":
        raise Unknown(f"{binding.name} has a format that is not made up")
    texel = TEXELS[form.rstrip("fiu") if form != "rgba8" else form]
    count = layers
    for edge in size:
        count *= edge
    if form == "rgba8":
        data = numbers.randbytes(count * texel)
    elif form.endswith("16f"):
        data = b"".join(struct.pack("<e", numbers.uniform(0, 2)) for _ in range(count * texel // 2))
    elif form.endswith("f"):
        data = b"".join(struct.pack("<f", numbers.uniform(0, 2)) for _ in range(count * texel // 4))
    else:
        data = b"".join(WORD.pack(numbers.randrange(8)) for _ in range(count * texel // 4))
    if storage_format:
        return image(data, form, size, view, layers=layers)
    return texture(data, form, size, view, layers=layers)


def _buffer(view: View, type_id: int, numbers: random.Random) -> bytes:
    size = -(-extent(view, type_id) // 16) * 16
    if has_runtime_array(view, type_id):
        size = max(SIZE, least_size(view, type_id))
        stride = view.literal(view.element(type_id), e.Decoration.ArrayStride) or 4
        size -= size % stride
        size += -size % 4
    data = bytearray(size)
    _fill(view, type_id, 0, data, numbers, 0)
    return bytes(data)


def _fill(view: View, type_id: int, at: int, data: bytearray, numbers: random.Random, stride: int) -> None:
    """Floats in [-2, 6), integers in [0, 9]."""
    inst = view.type(type_id)
    if inst.op in (op.OpTypeInt, op.OpTypeFloat):
        if at + 4 <= len(data):
            kind = inst.op == op.OpTypeFloat
            number = struct.pack("<f", round(numbers.uniform(-2, 6), 3)) if kind else WORD.pack(numbers.randrange(10))
            data[at : at + 4] = number
    elif inst.op == op.OpTypeStruct:
        for index, member in enumerate(inst.ints()):
            offset = view.member_literal(type_id, index, e.Decoration.Offset) or 0
            inner = view.member_literal(type_id, index, e.Decoration.MatrixStride) or 0
            _fill(view, member, at + offset, data, numbers, inner)
    elif inst.op == op.OpTypeRuntimeArray:
        step = view.literal(type_id, e.Decoration.ArrayStride) or 4
        for place in range(at, len(data), step):
            _fill(view, inst.id(0), place, data, numbers, stride)
    elif inst.op == op.OpTypeMatrix:
        for place in range(at, min(len(data), at + stride * 4), 4):
            data[place : place + 4] = struct.pack("<f", round(numbers.uniform(-2, 6), 3))
    else:
        count = view.length(type_id) if inst.op == op.OpTypeArray else inst.id(1)
        step = (view.literal(type_id, e.Decoration.ArrayStride) or 16) if inst.op == op.OpTypeArray else 4
        for k in range(count):
            _fill(view, inst.id(0), at + k * step, data, numbers, stride)
