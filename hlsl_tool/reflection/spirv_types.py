"""Convert SPIR-V types to reflection types."""

from __future__ import annotations

from collections.abc import Mapping

from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.reflection.check import ReflectError
from hlsl_tool.reflection.default_values import Constants, Number, spec_ids
from hlsl_tool.reflection.reflection import Majorness, Member, MemberFacts, Pointee, Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.enums import Decoration, Dim, StorageClass
from hlsl_tool.spirv.grammar.tables import enum_name
from hlsl_tool.spirv.ir import Instruction, Module, Operand

Decorations = Mapping[int, list[Operand]]
StructKey = tuple[tuple[str, ...], tuple[int, ...]]
"""The names and the offsets of a struct's members."""
StructFacts = Mapping[StructKey, list[MemberFacts]]
"""Struct → the facts of the source about its members."""

_DIMS = {
    Dim.Dim1D: "1D",
    Dim.Dim2D: "2D",
    Dim.Dim3D: "3D",
    Dim.Cube: "Cube",
    Dim.Rect: "Rect",
    Dim.Buffer: "Buffer",
    Dim.SubpassData: "SubpassData",
}
_STORAGE = 2
"""The Sampled operand of an image that is read and written without a sampler."""
_DEPTH = 1
"""The Depth operand of an image that is one."""
INTERPOLATION = {
    Decoration.Flat: "nointerpolation",
    Decoration.NoPerspective: "noperspective",
    Decoration.Centroid: "centroid",
    Decoration.Sample: "sample",
}
WORDS = {
    Decoration.Coherent: "coherent",
    Decoration.Volatile: "volatile",
    Decoration.Restrict: "restrict",
    Decoration.NonWritable: "non_writable",
    Decoration.NonReadable: "non_readable",
    Decoration.Aliased: "aliased",
    Decoration.RelaxedPrecision: "relaxed_precision",
    Decoration.Patch: "patch",
    Decoration.PerPrimitiveEXT: "per_primitive",
    Decoration.PerVertexKHR: "per_vertex",
    Decoration.Invariant: "invariant",
    Decoration.PassthroughNV: "passthrough",
}
"""Decorations that are listed by name."""


def in_source(t: Type, spelled: str) -> Type:
    """Return the type ``t`` with floats instead of integers if that gives the HLSL type ``spelled``; else return ``t``.

    The compiler represents memory by integers if a shader compares the bits of its floats.
    """
    if t.name == spelled or "float" not in spelled or "uint" not in t.name:
        return t
    floats = _of_floats(t)
    return floats if floats.name == spelled else t


def _of_floats(t: Type) -> Type:
    name = t.name.replace("uint", "float")
    if t.kind == "array" and t.element is not None:
        return replace(t, name=name, element=_of_floats(t.element))
    if t.kind == "vector" and t.component == "uint":
        return replace(t, name=name, component="float")
    return replace(t, kind="float", name=name) if t.kind == "uint" else t


class TypeReader:
    """Converts the types of one module, with the layout that decorations give to structs, arrays and matrices."""

    def __init__(self, module: Module, facts: StructFacts | None = None) -> None:
        index = ModuleIndex(module)
        self.definitions = index.definitions
        self.facts = facts or {}
        self.names = index.names
        self.member_names = index.member_names
        self.decorations = index.decorations
        self.member_decorations = index.member_decorations
        self.pointees: dict[int, Pointee] = {}
        """Id of a type → its entry in ``pointees``."""
        self.constants = Constants(self.definitions, spec_ids(self.decorations))

    # ------------------------------------------------------------------------------------------------------ look-ups

    def has(self, target: int, decoration: int) -> bool:
        return decoration in self.decorations.get(target, {})

    def decoration(self, target: int, decoration: int) -> int | None:
        """Return the first literal of a decoration; ``None`` if the target does not have it."""
        return first(self.decorations.get(target, {}).get(decoration))

    def text(self, target: int, decoration: int) -> str:
        """Return the string of a decoration; empty if the target does not have it."""
        return first_text(self.decorations.get(target, {}).get(decoration))

    def on_members(self, struct_id: int, decoration: int) -> list[bool]:
        """Return whether each member of a struct has the decoration, as a list."""
        count = len(self.definitions[struct_id].operands)
        return [decoration in self.member_decorations.get((struct_id, i), {}) for i in range(count)]

    def constant(self, number: int) -> Number:
        """Return the (default) value of a scalar constant."""
        return self.constants.scalar(number)

    def length(self, array: Instruction) -> int:
        """Return the length of an ``OpTypeArray``; raise ``ReflectError`` unless it is a positive integer."""
        count = self.constants.scalar(array.id(1))
        if isinstance(count, float) or not 0 < count < 1 << 63:
            raise ReflectError(f"the array %{array.result_id} has the length {count}")
        return int(count)

    # --------------------------------------------------------------------------------------------------------- types

    def type(self, number: int, matrix: Decorations | None = None) -> Type:
        """Return the type with an id.

        ``matrix`` are the decorations of the member that has it, which give matrices a layout.
        """
        inst = self.definitions.get(number)
        if inst is None:
            raise ReflectError(f"%{number} is no type")
        make = _MAKERS.get(inst.op)
        if make is None:
            return Type("other", self.names.get(number, f"op{inst.op}"))
        return make(self, inst, matrix or {})

    def _scalar(self, inst: Instruction, _: Decorations) -> Type:
        if inst.op == op.OpTypeVoid:
            return Type("void", "void")
        if inst.op == op.OpTypeBool:
            return Type("bool", "bool")
        bits = inst.id(0)
        if inst.op == op.OpTypeFloat:
            name = {16: "float16_t", 32: "float", 64: "double"}.get(bits, f"float{bits}_t")
            if len(inst.operands) > 1:  # an encoding of its own: bfloat16, float8
                name = (enum_name("FPEncoding", inst.id(1)) or f"float{bits}_{inst.id(1)}").lower()
                return Type("other", name, bits, size=bits // 8)
            return Type("float", name, bits, size=bits // 8)
        signed = inst.id(1) == 1
        name = ("int" if signed else "uint") + ("" if bits == 32 else f"{bits}_t")
        return Type("int" if signed else "uint", name, bits, size=bits // 8)

    def _vector(self, inst: Instruction, _: Decorations) -> Type:
        part, n = self.type(inst.id(0)), inst.id(1)
        size = None if part.size is None else part.size * n
        return Type("vector", f"{part.name}{n}", part.bits, part.name, 1, n, size=size)

    def _matrix(self, inst: Instruction, decorations: Decorations) -> Type:
        row, rows = self.type(inst.id(0)), inst.id(1)  # a SPIR-V column is an HLSL row
        stride = first(decorations.get(Decoration.MatrixStride))
        majorness: Majorness = ""
        size = None
        if Decoration.RowMajor in decorations:
            majorness, size = "column_major", _span(stride, row.columns, rows, row.bits)
        elif Decoration.ColMajor in decorations:
            majorness, size = "row_major", _span(stride, rows, row.columns, row.bits)
        return Type(
            "matrix",
            f"{row.component}{rows}x{row.columns}",
            row.bits,
            row.component,
            rows,
            row.columns,
            stride=stride,
            majorness=majorness,
            size=size,
        )

    def _array(self, inst: Instruction, decorations: Decorations) -> Type:
        element = self.type(inst.id(0), decorations)
        array = Type("array", element=element, stride=self.decoration(inst.result_id, Decoration.ArrayStride))
        if inst.op == op.OpTypeArray:
            array.count = self.length(inst)
            array.count_constants = self.constants.depends_on(inst.id(1))
        if array.stride is not None and array.count:
            array.size = array.stride * (array.count - 1) + (element.size if element.size is not None else array.stride)
        dims = "" if array.count is None else str(array.count)
        head, bracket, tail = element.name.partition("[")  # dimensions read from the outermost to the innermost
        array.name = f"{head}[{dims}]{bracket}{tail}"
        return array

    def _struct(self, inst: Instruction, _: Decorations) -> Type:
        number = inst.result_id
        struct = Type("struct", self.names.get(number, ""))
        end: int | None = 0
        for i, member in enumerate(inst.ints()):
            decorations = self.member_decorations.get((number, i), {})
            t = self.type(member, decorations)
            name = self.member_names.get((number, i), "")
            field = Member(name, t, first(decorations.get(Decoration.Offset)), t.size)
            self._stage_member(field, decorations)
            struct.members.append(field)
            open_ended = t.kind == "array" and t.count is None
            size = 0 if open_ended else t.size
            end = None if end is None or field.offset is None or size is None else max(end, field.offset + size)
        struct.size = end
        self._join(struct)
        return struct

    def _join(self, struct: Type) -> None:
        """Add information of the HLSL source to the members of a struct, in place, where it differs from SPIR-V's."""
        key = tuple(m.name for m in struct.members), tuple(m.offset or 0 for m in struct.members)
        for member, facts in zip(struct.members, self.facts.get(key, ()), strict=False):
            member.type = in_source(member.type, facts.get("type", ""))
            if facts.get("bit_fields") or facts.get("type") != member.type.name:
                member.hlsl = facts

    def _stage_member(self, member: Member, decorations: Decorations) -> None:
        """Set the fields of a member of a stage variable's block from its decorations."""
        builtin = first(decorations.get(Decoration.BuiltIn))
        member.builtin = "" if builtin is None else enum_name("BuiltIn", builtin) or str(builtin)
        member.location = first(decorations.get(Decoration.Location))
        member.component = first(decorations.get(Decoration.Component))
        member.interpolation = listed(decorations, INTERPOLATION)
        member.decorations = listed(decorations, WORDS)
        member.semantic = first_text(decorations.get(Decoration.UserSemantic))

    def _image(self, inst: Instruction, _: Decorations) -> Type:
        texel = self.type(inst.id(0))
        dim, arrayed, multisampled, sampled = inst.id(1), inst.id(3) == 1, inst.id(4) == 1, inst.id(5)
        writable = sampled == _STORAGE and dim != Dim.SubpassData
        name = ("RW" if writable else "") + _image_name(dim, arrayed, multisampled)
        fmt = enum_name("ImageFormat", inst.id(6)) or ""
        return Type(
            "image",
            name,
            component=texel.name,
            dim=_DIMS.get(dim, str(dim)),
            arrayed=arrayed,
            multisampled=multisampled,
            depth=inst.id(2) == _DEPTH,
            format=fmt,
        )

    def _sampled_image(self, inst: Instruction, _: Decorations) -> Type:
        image = self.type(inst.id(0))
        image.kind = "sampled_image"
        return image

    def _opaque(self, inst: Instruction, _: Decorations) -> Type:
        if inst.op == op.OpTypeSampler:
            return Type("sampler", "SamplerState")
        return Type("acceleration_structure", "RaytracingAccelerationStructure")

    # ------------------------------------------------------------------------------------------------------ pointers

    def _pointer(self, inst: Instruction, _: Decorations) -> Type:
        storage = enum_name("StorageClass", inst.id(0)) or str(inst.id(0))
        if inst.id(0) != StorageClass.PhysicalStorageBuffer:
            return Type("pointer", f"{self.names.get(inst.id(1), '')}*", storage=storage)
        pointee = self._pointee(inst)
        return Type("pointer", f"{pointee}*", 64, size=8, storage=storage, pointee=pointee)

    def _pointee(self, pointer: Instruction) -> str:
        """Return a unique name for the type to which a buffer address points.

        `finish` adds the type itself, because it may contain the same address.
        """
        target = pointer.id(1)
        pointee = self.pointees.get(target)
        stride = self.decoration(pointer.result_id, Decoration.ArrayStride)
        if pointee is not None:
            pointee.stride = pointee.stride or stride
            return pointee.name
        inst = self.definitions[target]
        plain = inst.op not in (op.OpTypeStruct, op.OpTypePointer)
        base = self.type(target).name if plain else self.names.get(target, "") or "Pointee"
        taken = {p.name for p in self.pointees.values()}
        name, count = base, 1
        while name in taken:
            count += 1
            name = f"{base}_{count}"
        self.pointees[target] = Pointee(name, Type("other"), stride)
        return name

    def finish(self) -> list[Pointee]:
        """Return all types that buffer addresses point to, including addresses inside these types."""
        done = 0
        while done < len(self.pointees):
            for number in list(self.pointees)[done:]:
                self.pointees[number].type = self.type(number)
                done += 1
        return list(self.pointees.values())

    def add_pointees(self) -> None:
        """Register the structs to which buffer addresses in the module point, in order of declaration."""
        for inst in self.definitions.values():
            if inst.op == op.OpTypePointer and inst.id(0) == StorageClass.PhysicalStorageBuffer:
                target = self.definitions[inst.id(1)]
                if target.op == op.OpTypeStruct and any(self._placed(target)):
                    self._pointee(inst)

    def _placed(self, inst: Instruction) -> list[bool]:
        return self.on_members(inst.result_id, Decoration.Offset)


_MAKERS = {
    op.OpTypeVoid: TypeReader._scalar,
    op.OpTypeBool: TypeReader._scalar,
    op.OpTypeInt: TypeReader._scalar,
    op.OpTypeFloat: TypeReader._scalar,
    op.OpTypeVector: TypeReader._vector,
    op.OpTypeMatrix: TypeReader._matrix,
    op.OpTypeArray: TypeReader._array,
    op.OpTypeRuntimeArray: TypeReader._array,
    op.OpTypeStruct: TypeReader._struct,
    op.OpTypeImage: TypeReader._image,
    op.OpTypeSampledImage: TypeReader._sampled_image,
    op.OpTypeSampler: TypeReader._opaque,
    op.OpTypeAccelerationStructureKHR: TypeReader._opaque,
    op.OpTypePointer: TypeReader._pointer,
}


def first(operands: list[Operand] | None) -> int | None:
    """Return the first literal of a decoration; ``None`` if there are no operands."""
    return operands[0] if operands and isinstance(operands[0], int) else None


def first_text(operands: list[Operand] | None) -> str:
    """Return the string of a decoration; empty if there are no operands."""
    return operands[0] if operands and isinstance(operands[0], str) else ""


def listed(decorations: Decorations, words: Mapping[int, str]) -> list[str]:
    """Return the words for the decorations that are present, in the order of ``words``."""
    return [word for decoration, word in words.items() if decoration in decorations]


def _span(stride: int | None, count: int, within: int, bits: int) -> int | None:
    """Return the size in bytes of ``count`` rows (or columns) with ``within`` components of ``bits`` bits each.

    ``None`` if the stride is unknown.
    """
    return None if stride is None else stride * (count - 1) + within * bits // 8


def _image_name(dim: int, arrayed: bool, multisampled: bool) -> str:
    if dim == Dim.Buffer:
        return "Buffer"
    if dim == Dim.SubpassData:
        return "SubpassInputMS" if multisampled else "SubpassInput"
    return f"Texture{_DIMS.get(dim, '')}{'MS' if multisampled else ''}{'Array' if arrayed else ''}"
