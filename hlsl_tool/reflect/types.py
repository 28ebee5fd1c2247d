"""SPIR-V types as reflection types."""

from __future__ import annotations

import struct

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.grammar.tables import enum_name
from hlsl_tool.spirv.ir import Instruction, Module

from .model import Member, Type

_DIMS = {
    e.Dim.Dim1D: "1D", e.Dim.Dim2D: "2D", e.Dim.Dim3D: "3D", e.Dim.Cube: "Cube", e.Dim.Rect: "Rect",
    e.Dim.Buffer: "Buffer", e.Dim.SubpassData: "SubpassData",
}  # fmt: skip
_STORAGE = 2
"""The Sampled operand of an image that is read and written without a sampler."""


class Types:
    """The types of one module; structs and arrays with what decorations say of them."""

    def __init__(self, module: Module) -> None:
        self.definitions = module.definitions()
        self.names: dict[int, str] = {}
        self.member_names: dict[tuple[int, int], str] = {}
        self.decorations: dict[int, dict[int, list[int | str]]] = {}
        self.member_decorations: dict[tuple[int, int], dict[int, list[int | str]]] = {}
        for inst in module.names:
            if inst.op == op.OpName:
                self.names[inst.id(0)] = inst.text(1)
            elif inst.op == op.OpMemberName:
                self.member_names[inst.id(0), inst.id(1)] = inst.text(2)
        for inst in module.annotations:
            if inst.op in (op.OpDecorate, op.OpDecorateId, op.OpDecorateString):
                self.decorations.setdefault(inst.id(0), {})[inst.id(1)] = inst.operands[2:]
            elif inst.op in (op.OpMemberDecorate, op.OpMemberDecorateString):
                self.member_decorations.setdefault((inst.id(0), inst.id(1)), {})[inst.id(2)] = inst.operands[3:]

    # ------------------------------------------------------------------------------------------------------ look-ups

    def has(self, target: int, decoration: int) -> bool:
        return decoration in self.decorations.get(target, {})

    def decoration(self, target: int, decoration: int) -> int | None:
        """The first literal of a decoration, or ``None``."""
        return _first(self.decorations.get(target, {}).get(decoration))

    def on_members(self, struct_id: int, decoration: int) -> list[bool]:
        """For each member, whether it is decorated so."""
        count = len(self.definitions[struct_id].operands)
        return [decoration in self.member_decorations.get((struct_id, i), {}) for i in range(count)]

    def constant(self, number: int) -> bool | int | float:
        """The value, or default, of a scalar constant; 0 for what is computed."""
        inst = self.definitions.get(number)
        if inst is None:
            return 0
        if inst.op in (op.OpConstantTrue, op.OpSpecConstantTrue):
            return True
        if inst.op in (op.OpConstantFalse, op.OpSpecConstantFalse):
            return False
        if inst.op not in (op.OpConstant, op.OpSpecConstant):
            return 0
        return _literal(self.definitions[inst.type_id], inst.ints())

    # --------------------------------------------------------------------------------------------------------- types

    def type(self, number: int, matrix: dict[int, list[int | str]] | None = None) -> Type:
        """The type behind an id; ``matrix``: the decorations of the member it is in, which lay out its matrices."""
        inst = self.definitions[number]
        make = _MAKERS.get(inst.op)
        if make is None:
            return Type("other", self.names.get(number, f"op{inst.op}"))
        return make(self, inst, matrix or {})

    def _scalar(self, inst: Instruction, _: dict[int, list[int | str]]) -> Type:
        if inst.op == op.OpTypeVoid:
            return Type("void", "void")
        if inst.op == op.OpTypeBool:
            return Type("bool", "bool")
        bits = inst.id(0)
        if inst.op == op.OpTypeFloat:
            return Type("float", {16: "float16_t", 64: "double"}.get(bits, "float"), bits, size=bits // 8)
        signed = inst.id(1) == 1
        name = ("int" if signed else "uint") + ("" if bits == 32 else f"{bits}_t")
        return Type("int" if signed else "uint", name, bits, size=bits // 8)

    def _vector(self, inst: Instruction, _: dict[int, list[int | str]]) -> Type:
        part, n = self.type(inst.id(0)), inst.id(1)
        size = None if part.size is None else part.size * n
        return Type("vector", f"{part.name}{n}", part.bits, part.name, 1, n, size=size)

    def _matrix(self, inst: Instruction, decorations: dict[int, list[int | str]]) -> Type:
        row, rows = self.type(inst.id(0)), inst.id(1)  # a SPIR-V column is an HLSL row
        stride = _first(decorations.get(e.Decoration.MatrixStride))
        majorness, size = "", None
        if e.Decoration.RowMajor in decorations:
            majorness, size = "column_major", _span(stride, row.columns, rows, row.bits)
        elif e.Decoration.ColMajor in decorations:
            majorness, size = "row_major", _span(stride, rows, row.columns, row.bits)
        return Type("matrix", f"{row.component}{rows}x{row.columns}", row.bits, row.component, rows, row.columns,
                    stride=stride, majorness=majorness, size=size)  # fmt: skip

    def _array(self, inst: Instruction, decorations: dict[int, list[int | str]]) -> Type:
        element = self.type(inst.id(0), decorations)
        count = None
        if inst.op == op.OpTypeArray:
            count = int(self.constant(inst.id(1)))
        stride = self.decoration(inst.result_id, e.Decoration.ArrayStride)
        size = None
        if stride is not None and count:
            size = stride * (count - 1) + (element.size if element.size is not None else stride)
        dims = "" if count is None else str(count)
        return Type("array", f"{element.name}[{dims}]", element=element, count=count, stride=stride, size=size)

    def _struct(self, inst: Instruction, _: dict[int, list[int | str]]) -> Type:
        number = inst.result_id
        made = Type("struct", self.names.get(number, ""))
        end: int | None = 0
        for i, member in enumerate(inst.ints()):
            decorations = self.member_decorations.get((number, i), {})
            t = self.type(member, decorations)
            offset = _first(decorations.get(e.Decoration.Offset))
            made.members.append(Member(self.member_names.get((number, i), ""), t, offset, t.size))
            unknown = end is None or offset is None or t.size is None
            end = None if unknown else max(end or 0, (offset or 0) + (t.size or 0))
        made.size = end
        return made

    def _image(self, inst: Instruction, _: dict[int, list[int | str]]) -> Type:
        texel = self.type(inst.id(0))
        dim, arrayed, multisampled, sampled = inst.id(1), inst.id(3) == 1, inst.id(4) == 1, inst.id(5)
        writable = sampled == _STORAGE and dim != e.Dim.SubpassData
        name = ("RW" if writable else "") + _image_name(dim, arrayed, multisampled)
        fmt = enum_name("ImageFormat", inst.id(6)) or ""
        return Type("image", name, component=texel.name, dim=_DIMS.get(dim, str(dim)), arrayed=arrayed,
                    multisampled=multisampled, format=fmt)  # fmt: skip

    def _sampled_image(self, inst: Instruction, _: dict[int, list[int | str]]) -> Type:
        image = self.type(inst.id(0))
        image.kind = "sampled_image"
        return image

    def _opaque(self, inst: Instruction, _: dict[int, list[int | str]]) -> Type:
        if inst.op == op.OpTypeSampler:
            return Type("sampler", "SamplerState")
        return Type("acceleration_structure", "RaytracingAccelerationStructure")

    def _pointer(self, inst: Instruction, _: dict[int, list[int | str]]) -> Type:
        pointee = self.definitions.get(inst.id(1))
        name = self.names.get(inst.id(1), "") if pointee is not None else ""
        return Type("pointer", f"{name}*", 64, size=8)


_MAKERS = {
    op.OpTypeVoid: Types._scalar, op.OpTypeBool: Types._scalar, op.OpTypeInt: Types._scalar,
    op.OpTypeFloat: Types._scalar, op.OpTypeVector: Types._vector, op.OpTypeMatrix: Types._matrix,
    op.OpTypeArray: Types._array, op.OpTypeRuntimeArray: Types._array, op.OpTypeStruct: Types._struct,
    op.OpTypeImage: Types._image, op.OpTypeSampledImage: Types._sampled_image, op.OpTypeSampler: Types._opaque,
    op.OpTypeAccelerationStructureKHR: Types._opaque, op.OpTypePointer: Types._pointer,
}  # fmt: skip


def _first(operands: list[int | str] | None) -> int | None:
    return operands[0] if operands and isinstance(operands[0], int) else None


def _span(stride: int | None, count: int, within: int, bits: int) -> int | None:
    """The bytes of ``count`` rows (or columns) of ``within`` components each."""
    return None if stride is None else stride * (count - 1) + within * bits // 8


def _image_name(dim: int, arrayed: bool, multisampled: bool) -> str:
    if dim == e.Dim.Buffer:
        return "Buffer"
    if dim == e.Dim.SubpassData:
        return "SubpassInputMS" if multisampled else "SubpassInput"
    return f"Texture{_DIMS.get(dim, '')}{'MS' if multisampled else ''}{'Array' if arrayed else ''}"


_FLOATS = {16: "<e", 32: "<f", 64: "<d"}


def _literal(t: Instruction, words: list[int]) -> int | float:
    """The number that the words of a constant spell."""
    bits = t.id(0)
    data = b"".join(w.to_bytes(4, "little") for w in words)[: max(bits // 8, 1)]
    if t.op == op.OpTypeFloat and bits in _FLOATS:
        value: float = struct.unpack(_FLOATS[bits], data)[0]
        return value
    return int.from_bytes(data, "little", signed=t.op == op.OpTypeInt and t.id(1) == 1)
