"""Make up resources for shaders of which only the module is available: small numbers of the right types."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl import Binding
from hlsl_tool.wgsl.interface.raw_layout import extent, has_runtime_array, least_size
from hlsl_tool.wgsl.module.view import View
from tests.execute.vulkan import Place, Resource, image, sampler, storage, texels, texture, uniform

SIZE = 4096
"""The bytes of a storage buffer without an end, about."""
EDGE = 8
FORMATS = {"float": "rgba32f", "unfilterable-float": "rgba32f", "sint": "rgba32i", "uint": "rgba32u", "depth": "d32"}
STORAGE_FORMATS = {
    "r32float": "r32f",
    "rg32float": "rg32f",
    "rgba32float": "rgba32f",
    "rgba16float": "rgba16f",
    "r32sint": "r32i",
    "rg32sint": "rg32i",
    "rgba32sint": "rgba32i",
    "r32uint": "r32u",
    "rg32uint": "rg32u",
    "rgba32uint": "rgba32u",
    "rgba8unorm": "rgba8",
}
TEXELS = {"r32": 4, "rg32": 8, "rgba32": 16, "rgba16": 8, "rgba8": 4, "d32": 4}
F = e.ImageFormat
TEXEL_FORMATS = {
    F.R32f: "r32f",
    F.Rg32f: "rg32f",
    F.Rgba32f: "rgba32f",
    F.R32i: "r32i",
    F.Rg32i: "rg32i",
    F.Rgba32i: "rgba32i",
    F.R32ui: "r32u",
    F.Rg32ui: "rg32u",
    F.Rgba32ui: "rgba32u",
}
WORD = struct.Struct("<I")


class Unknown(Exception):
    """Raised for a resource whose contents cannot be made up; the message names it."""


@dataclass(slots=True)
class Given:
    """Made-up resources in two dictionaries: by their bindings in SPIR-V, and by their bindings in WGSL."""

    vulkan: dict[Place, Resource] = field(default_factory=dict)
    webgpu: dict[Place, Resource] = field(default_factory=dict)
    places: dict[Place, Place] = field(default_factory=dict)
    """On WebGPU → on Vulkan."""
    push: bytes = b""

    def same(self, vulkan: Mapping[Any, bytes], webgpu: Mapping[Any, bytes]) -> list[Any]:
        """Return the bindings whose contents after a run differ between WebGPU and Vulkan."""
        return [key for key in webgpu if not close(webgpu[key], vulkan[self.places.get(key, key)])]


def close(got: bytes, wanted: bytes) -> bool:
    """Return whether all 32-bit words of two results are equal, or are floats that differ only by rounding."""
    return got == wanted or not any(differing(got, wanted))


def differing(got: bytes, wanted: bytes) -> Iterator[bool]:
    """Yield for each 32-bit word of two results whether it differs by more than the rounding of a float."""
    for (x,), (y,) in zip(WORD.iter_unpack(got), WORD.iter_unpack(wanted), strict=True):
        a, b = (struct.unpack("<f", WORD.pack(bits))[0] for bits in (x, y))
        if x == y or (math.isnan(a) and math.isnan(b)):
            yield False
        else:
            yield any(0 < abs(v) < 1e-30 for v in (a, b)) or not abs(a - b) <= 1e-4 + 1e-3 * abs(b)


def resources(view: View, bindings: list[Binding], seed: int, given: Given | None = None) -> Given:
    """Make up contents for the bindings that a module uses; return them.

    ``given`` are the resources of the pipeline's other stage, which are reused where both have a binding.
    """
    numbers = random.Random(seed)
    given = given or Given()
    for binding in bindings:
        if not binding.visibility:
            continue
        source = binding.source
        assert source is not None
        here = binding.group, binding.binding
        there: Place | None = None
        if "set" in source:
            there = source["set"], source["binding"]
            there = (*there, source["element"]) if "element" in source else there
        if here in given.places and given.places[here] != there:
            raise Unknown(f"{binding.name} has a binding that the other stage has, too")
        if here in given.webgpu:
            continue
        resource = _resource(view, binding, numbers)
        given.webgpu[here] = storage(resource.data) if resource.kind in ("texels", "rw_texels") else resource
        if there is None:
            given.push = resource.data
            continue
        given.places[here] = there
        given.vulkan[there] = _merged(given.vulkan.get(there), resource, binding.name)
    return given


def _merged(known: Resource | None, resource: Resource, name: str) -> Resource:
    """Merge two resources at one SPIR-V binding: a texture and a sampler are a combined image sampler."""
    if known is None or known.kind == resource.kind == "texture":
        return resource
    kinds = known.kind, resource.kind
    if kinds == ("texture", "sampler"):
        return replace(
            known, kind="combined", filter=resource.filter, address=resource.address, compare=resource.compare
        )
    raise Unknown(f"{name} is two things on WebGPU")


def _resource(view: View, binding: Binding, numbers: random.Random) -> Resource:
    if "buffer" in binding.layout:
        image_type = view.type(_type(view, binding))
        if image_type.op == op.OpTypeImage:
            return _texels(image_type, binding, numbers)
        data = _buffer(view, _type(view, binding), numbers)
        return uniform(data) if binding.layout["buffer"]["type"] == "uniform" else storage(data)
    if "sampler" in binding.layout:
        compare = "less_equal" if binding.layout["sampler"]["type"] == "comparison" else ""
        return sampler("nearest", "clamp", compare=compare)
    return _texture(binding, numbers)


def _texels(image_type: Instruction, binding: Binding, numbers: random.Random) -> Resource:
    """Make up a texel buffer, which is a storage buffer in WebGPU."""
    form = TEXEL_FORMATS[image_type.id(6)]
    count = 1024 * {"r": 1, "rg": 2, "rgba": 4}[form[:-3]]
    if form.endswith("f"):
        data = b"".join(struct.pack("<f", numbers.uniform(0, 2)) for _ in range(count))
    else:
        data = b"".join(WORD.pack(numbers.randrange(8)) for _ in range(count))
    return texels(data, form, writable=binding.layout["buffer"]["type"] == "storage" or image_type.id(5) == 2)


def _type(view: View, binding: Binding) -> int:
    """Return the type of a buffer; array elements have no variable of their own in SPIR-V."""
    source = binding.source
    assert source is not None
    if "element" not in source:
        return view.pointee(view.type_of(binding.variable))
    array = next(
        number
        for number in view.decorations
        if view.names.get(number) == source["name"] and view.literal(number, e.Decoration.Binding) == source["binding"]
    )
    kind = view.type(view.pointee(view.type_of(array)))
    while kind.op in (op.OpTypeArray, op.OpTypeRuntimeArray):
        kind = view.type(kind.id(0))
    return kind.result_id


def _texture(binding: Binding, numbers: random.Random) -> Resource:
    layout = binding.layout.get("texture") or binding.layout["storageTexture"]
    view = layout["viewDimension"].replace("-", "_")
    size = (EDGE, EDGE, EDGE) if view == "3d" else (EDGE,) if view == "1d" else (EDGE, EDGE)
    layers = 6 if view == "cube" else 2 if view == "2d_array" else 1
    if layout.get("multisampled") or view == "cube_array":
        raise Unknown(f"{binding.name} is a texture of a kind that is not made up")
    storage_format = layout.get("format")
    form = STORAGE_FORMATS.get(storage_format) if storage_format else FORMATS[layout["sampleType"]]
    if form is None:
        raise Unknown(f"{binding.name} has a format that is not made up")
    texel = TEXELS[form.rstrip("fiu") if form != "rgba8" else form]
    count = layers
    for edge in size:
        count *= edge
    if form == "d32":
        data = struct.pack("<f", 0.4) * count  # WebGPU can only clear it
    elif form == "rgba8":
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
    """Write made-up numbers of a type to ``data`` at the offset ``at``: floats in [-2, 6), integers in [0, 9]."""
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
        for index, place in enumerate(range(at, min(len(data), at + stride * 4), 4)):
            own = float(index // (stride // 4) == index % (stride // 4))  # near the identity: what is drawn is seen
            data[place : place + 4] = struct.pack("<f", own + round(numbers.uniform(-0.2, 0.2), 3))
    else:
        count = view.length(type_id) if inst.op == op.OpTypeArray else inst.id(1)
        step = (view.literal(type_id, e.Decoration.ArrayStride) or 16) if inst.op == op.OpTypeArray else 4
        for k in range(count):
            _fill(view, inst.id(0), at + k * step, data, numbers, stride)
