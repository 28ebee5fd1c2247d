"""Write the builder's types and constants with final ids, each immediately before its first use."""

from __future__ import annotations

from .. import op
from ..enums import Decoration
from ..grammar.tables import id_flags
from ..ir import Instruction, Module, Operand
from .images import ImageBuilder
from .type_info import INTERFACE_STORAGE, INTERFACE_UNIFORM, TypeInfo

_WITHOUT_OPERANDS = frozenset(("void", "bool", "sampler", "acceleration_structure", "ray_query"))


class TypeEmitter:
    """Assigns final ids, and writes types and constants at their first use."""

    def __init__(self, builder: ImageBuilder, version: int) -> None:
        self.b = builder
        self.module = Module(version=version)
        self.ids: dict[int, int] = {}
        self.early: set[int] = set()
        """Types and constants that have an id because a decoration names them, but are not yet written."""
        self.next_id = 1
        self.writing: set[int] = set()
        """Structs whose members are being written."""
        self.postponed: list[int] = []
        self.undef_types = {number: type_id for type_id, number in builder.undefs.items()}
        self.types_out: list[Instruction] = []

    # ---- ids

    def fresh(self) -> int:
        number = self.next_id
        self.next_id = number + 1
        return number

    def assign(self, provisional: int) -> int:
        """Return the final id for a provisional one; assign it if necessary, without writing a definition."""
        number = self.ids.get(provisional)
        if number is None:
            number = self.ids[provisional] = self.fresh()
        return number

    def mention(self, provisional: int) -> int:
        """Return the final id of a definition, without writing the definition; it is written at its next use."""
        b = self.b
        if provisional not in self.ids and (
            provisional in b.types or provisional in b.constants or provisional in self.undef_types
        ):
            self.early.add(provisional)
        return self.assign(provisional)

    def ref(self, provisional: int) -> int:
        """Return the final id of an operand; write the type, constant or undef if that has not happened."""
        number = self.ids.get(provisional)
        if number is not None and provisional not in self.early:
            return number
        if provisional in self.b.types:
            return self.type(provisional)
        if provisional in self.b.constants:
            return self.constant(provisional)
        if provisional in self.undef_types:
            return self.undef(provisional)
        return self.assign(provisional)

    # ---- names and decorations

    def name(self, provisional: int) -> None:
        """Write the ``OpName`` of an id if it has a name."""
        text = self.b.names.get(provisional)
        if text:
            self.module.names.append(Instruction(op.OpName, 0, 0, [self.ids[provisional], text]))

    def decorate(self, number: int, *operands: Operand, opcode: int = op.OpDecorate) -> None:
        """Write a decoration; ``number`` is a final id."""
        self.module.annotations.append(Instruction(opcode, 0, 0, [number, *operands]))

    # ---- types

    def type(self, provisional: int) -> int:
        """Return the final id of a type; write the type if that has not happened."""
        number = self.ids.get(provisional)
        if number is not None and provisional not in self.early:
            return number
        self.early.discard(provisional)
        info = self.b.types[provisional]
        number = self.assign(provisional)
        if info.kind == "pointer" and info.elem.id in self.writing:
            self.postponed.append(provisional)  # a forward declaration: it is written after the struct that contains it
            return number
        if info.name:
            self.module.names.append(Instruction(op.OpName, 0, 0, [number, info.name]))
        if info.kind == "struct":
            self.writing.add(provisional)
        operands = self._type_operands(info, number)
        self.types_out.append(Instruction(info.op, 0, number, operands))
        if info.kind == "struct":
            self._write_postponed(provisional, number)
        if info.kind in ("array", "runtime_array"):
            if info.stride is not None:
                self.decorate(number, Decoration.ArrayStride, info.stride)
            self._type_decorations(info, number)
        return number

    def _write_postponed(self, struct: int, number: int) -> None:
        """Write the pointer types to a struct that the struct itself contains."""
        self.writing.discard(struct)
        for pointer in [p for p in self.postponed if self.b.types[p].elem.id == struct]:
            self.postponed.remove(pointer)
            storage = self.b.types[pointer].storage
            self.types_out.append(Instruction(op.OpTypePointer, 0, self.ids[pointer], [storage, number]))

    def _type_operands(self, info: TypeInfo, number: int) -> list[Operand]:
        kind = info.kind
        if kind in _WITHOUT_OPERANDS:
            return []
        if kind == "int":
            return [info.width, int(info.signed)]
        if kind == "float":
            return [info.width]
        if kind in ("vector", "matrix"):
            return [self.type(info.elem.id), info.count]
        if kind == "array":
            length = self.ref(info.length_id or self.b.lazy_uint(info.count))
            return [self.type(info.elem.id), length]
        if kind in ("runtime_array", "sampled_image"):
            return [self.type(info.elem.id)]
        if kind == "struct":
            return self._struct_operands(info, number)
        if kind == "pointer":
            return [info.storage, self.type(info.elem.id)]
        if kind in ("untyped_pointer", "buffer"):
            return [info.storage]
        if kind == "function":
            return [self.type(info.elem.id), *(self.type(param.id) for param in info.params)]
        if kind == "image":
            sampled = self.type(info.elem.id)
            return [sampled, info.dim, info.depth, int(info.arrayed), int(info.ms), info.sampled, info.format]
        return self._decorated_operands(info, number)

    def _decorated_operands(self, info: TypeInfo, number: int) -> list[Operand]:
        """Return the operands of an opaque type, inline type or payload array; write the type's decorations."""
        if info.kind == "node_payload_array":
            element = self.type(info.elem.id)
            self._type_decorations(info, number)
            return [element]
        flags = (True,) * len(info.operands) if info.kind == "inline" else id_flags(info.op, info.operands)
        out: list[Operand] = [
            self.ref(operand) if flag and operand.__class__ is int else int(operand)
            for operand, flag in zip(info.operands, flags, strict=True)
        ]
        self._type_decorations(info, number)
        return out

    def _struct_operands(self, info: TypeInfo, number: int) -> list[Operand]:
        for index, member in enumerate(info.members):
            if member.name:
                self.module.names.append(Instruction(op.OpMemberName, 0, 0, [number, index, member.name]))
        operands: list[Operand] = [self.type(member.type) for member in info.members]
        deco = Decoration
        member_op = op.OpMemberDecorate
        for index, member in enumerate(info.members):
            if member.offset is not None:
                self.decorate(number, index, deco.Offset, member.offset, opcode=member_op)
            if member.matrix_stride is not None:
                self.decorate(number, index, deco.MatrixStride, member.matrix_stride, opcode=member_op)
            if member.row_major is not None:
                self.decorate(number, index, deco.RowMajor if member.row_major else deco.ColMajor, opcode=member_op)
            if member.relaxed:
                self.decorate(number, index, deco.RelaxedPrecision, opcode=member_op)
            if info.read_only:
                self.decorate(number, index, deco.NonWritable, opcode=member_op)
            for decoration, literals in member.decorations:
                self.decorate(number, index, decoration, *literals, opcode=member_op)
        if info.interface == INTERFACE_STORAGE:
            self.decorate(number, deco.Block if self.b.storage_buffer_class else deco.BufferBlock)
        elif info.interface == INTERFACE_UNIFORM:
            self.decorate(number, deco.Block)
        self._type_decorations(info, number)
        return operands

    def _type_decorations(self, info: TypeInfo, number: int) -> None:
        for opcode, operands in info.decorations:
            out = list(operands)
            if opcode == op.OpDecorateId:
                out[1:] = [self.ref(operand) for operand in out[1:] if isinstance(operand, int)]
            self.decorate(number, *out, opcode=opcode)

    # ---- constants

    def constant(self, provisional: int) -> int:
        """Return the final id of a constant; write the constant if that has not happened."""
        number = self.ids.get(provisional)
        if number is not None and provisional not in self.early:
            return number
        self.early.discard(provisional)
        info = self.b.constants[provisional]
        operands = info.operands
        if info.op in (op.OpConstantComposite, op.OpSpecConstantComposite):
            operands = [self.ref(part) for part in operands if isinstance(part, int)]
        elif info.op == op.OpSpecConstantOp:
            flags = id_flags(info.op, operands)
            operands = [
                self.ref(part) if flag and isinstance(part, int) else part
                for part, flag in zip(operands, flags, strict=True)
            ]
        type_id = self.type(info.type_id) if info.type_id else 0
        number = self.assign(provisional)
        self.types_out.append(Instruction(info.op, type_id, number, list(operands)))
        self.name(provisional)
        return number

    def undef(self, provisional: int) -> int:
        """Return the final id of an undefined value; write OpUndef if that has not happened."""
        number = self.ids.get(provisional)
        if number is not None and provisional not in self.early:
            return number
        self.early.discard(provisional)
        type_id = self.type(self.undef_types[provisional])
        number = self.assign(provisional)
        self.types_out.append(Instruction(op.OpUndef, type_id, number, []))
        self.name(provisional)
        return number
