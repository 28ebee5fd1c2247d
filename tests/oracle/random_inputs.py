"""Make up resources for any compute shader from its SPIR-V, filled with small numbers.

Floats are between -1 and 1 and integers between 0 and 7, so that counts and indices stay small.
"""

from __future__ import annotations

import random
import struct

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction, Module
from tests.execute.vulkan import Place, Resource, image, sampler, storage, texels, texture, uniform

ELEMENTS = 512
"""How many elements a runtime array gets."""
SIDE = 8
FORMATS: dict[int, str] = {
    e.ImageFormat.Rgba32f: "rgba32f",
    e.ImageFormat.Rgba16f: "rgba16f",
    e.ImageFormat.R32f: "r32f",
    e.ImageFormat.Rgba8: "rgba8",
    e.ImageFormat.Rg32f: "rg32f",
    e.ImageFormat.Rgba32i: "rgba32i",
    e.ImageFormat.R32i: "r32i",
    e.ImageFormat.Rgba32ui: "rgba32u",
    e.ImageFormat.R32ui: "r32u",
    e.ImageFormat.Rg32ui: "rg32u",
    e.ImageFormat.Rg32i: "rg32i",
}


class Unsupported(Exception):
    """Raised for a kind of resource that cannot be made up."""


class Inputs:
    def __init__(self, module: Module, seed: int) -> None:
        self.random = random.Random(seed)
        self.globals = {inst.result_id: inst for inst in module.globals}
        self.marks: dict[tuple[int, int], list[int]] = {}
        """(id, decoration) -> operands"""
        self.member_marks: dict[tuple[int, int, int], list[int]] = {}
        for inst in module.annotations:
            if inst.op == op.OpDecorate:
                self.marks[inst.id(0), inst.id(1)] = inst.ints()[2:]
            elif inst.op == op.OpMemberDecorate:
                self.member_marks[inst.id(0), inst.id(1), inst.id(2)] = inst.ints()[3:]

    def resources(self) -> dict[Place, Resource]:
        made: dict[Place, Resource] = {}
        for inst in self.globals.values():
            group = self.marks.get((inst.result_id, e.Decoration.DescriptorSet))
            if inst.op == op.OpVariable and group is not None:
                (binding,) = self.marks[inst.result_id, e.Decoration.Binding]
                made[group[0], binding] = self.resource(inst)
        return made

    def resource(self, variable: Instruction) -> Resource:
        pointee = self.globals[self.globals[variable.type_id].id(1)]
        if pointee.op == op.OpTypeStruct:
            data = bytes(self.fill(pointee))
            if (
                variable.id(0) == e.StorageClass.StorageBuffer
                or (pointee.result_id, e.Decoration.BufferBlock) in self.marks
            ):
                return storage(data)
            return uniform(data.ljust(-(-len(data) // 16) * 16, b"\0"))
        if pointee.op == op.OpTypeSampler:
            return sampler("nearest")
        if pointee.op == op.OpTypeImage:
            return self.image(pointee)
        raise Unsupported(f"a resource of type {pointee.op}")

    def image(self, kind: Instruction) -> Resource:
        sampled_type, dim, _, arrayed, _, sampled, form = kind.ints()[:7]
        scalar = self.globals[sampled_type]
        letter = "f" if scalar.op == op.OpTypeFloat else "i" if scalar.id(1) else "u"
        name = FORMATS.get(form, f"rgba32{letter}")
        if dim == e.Dim.Buffer:
            return texels(self.numbers(letter, 4 * ELEMENTS), name, writable=sampled == 2)
        views = {e.Dim.Dim1D: "1d", e.Dim.Dim2D: "2d", e.Dim.Dim3D: "3d", e.Dim.Cube: "cube"}
        if dim not in views or (dim == e.Dim.Cube and sampled == 2):
            raise Unsupported(f"an image of dimension {dim}")
        view = views[dim] + ("_array" if arrayed else "")
        size = {"1": (SIDE,), "2": (SIDE, SIDE), "3": (SIDE, SIDE, SIDE), "c": (SIDE, SIDE)}[view[0]]
        layers = 4 if arrayed else 1
        data = self.numbers(letter, 4 * SIDE**3 * 6) if name.endswith(("f", "i", "u")) else self.random.randbytes(4096)
        if name == "rgba16f":
            data = struct.pack(f"<{16 * SIDE**3}e", *(self.random.uniform(-1, 1) for _ in range(16 * SIDE**3)))
        if sampled == 2:
            return image(data, name, size, view, layers=layers)
        return texture(data, name, size, view, layers=layers)

    def numbers(self, letter: str, count: int) -> bytes:
        if letter == "f":
            return struct.pack(f"<{count}f", *(self.random.uniform(-1, 1) for _ in range(count)))
        return struct.pack(f"<{count}I", *(self.random.randrange(8) for _ in range(count)))

    def fill(self, kind: Instruction, row_major: bool = False, stride: int = 0) -> bytearray:
        """Return the bytes of a random value of a type, in the layout that decorations give it."""
        if kind.op in (op.OpTypeFloat, op.OpTypeInt):
            form = {
                (16, True): "e",
                (32, True): "f",
                (64, True): "d",
                (16, False): "H",
                (32, False): "I",
                (64, False): "Q",
            }
            is_float = kind.op == op.OpTypeFloat
            value = self.random.uniform(-1, 1) if is_float else self.random.randrange(8)
            return bytearray(struct.pack("<" + form[kind.id(0), is_float], value))
        if kind.op == op.OpTypeStruct:
            out = bytearray()
            for index, member in enumerate(kind.ints()):
                (offset,) = self.member_marks[kind.result_id, index, e.Decoration.Offset]
                rows = (kind.result_id, index, e.Decoration.RowMajor) in self.member_marks
                step = self.member_marks.get((kind.result_id, index, e.Decoration.MatrixStride), [0])[0]
                out = out.ljust(offset, b"\0")[:offset] + self.fill(self.globals[member], rows, step)
            return out
        element = self.globals[kind.id(0)]
        if kind.op == op.OpTypeVector:
            return bytearray(b"".join(self.fill(element) for _ in range(kind.id(1))))
        if kind.op == op.OpTypeMatrix:
            count = element.id(1) if row_major else kind.id(1)
            return bytearray(b"".join(self.fill(element).ljust(stride, b"\0")[:stride] for _ in range(count)))
        if kind.op in (op.OpTypeArray, op.OpTypeRuntimeArray):
            count = ELEMENTS if kind.op == op.OpTypeRuntimeArray else self.globals[kind.id(1)].id(0)
            (step,) = self.marks[kind.result_id, e.Decoration.ArrayStride]
            return bytearray(b"".join(self.fill(element, row_major, stride).ljust(step, b"\0") for _ in range(count)))
        raise Unsupported(f"a member of type {kind.op}")
