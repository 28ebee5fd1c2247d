"""Constants of the module under construction: hash-consed, and written in the order of their first request."""

from __future__ import annotations

import math
import struct

from hlsl_tool.base.system.dataclass import dataclass

from .. import op
from ..ir import Operand
from .limits import MAX_PARTS, check_size
from .types import TypeTable


@dataclass(slots=True, eq=False)
class ConstInfo:
    """A constant: its instruction, with provisional ids."""

    op: int
    type_id: int
    operands: list[Operand]
    value: bool | int | float | None = None
    """The number of a scalar that is not a specialisation constant."""
    is_spec: bool = False


def float_bits(value: float, width: int) -> int:
    """Return the IEEE bits of a number, rounded to nearest even; infinity on overflow."""
    if width == 64:
        return int.from_bytes(struct.pack("<d", value), "little")
    code = "<f" if width == 32 else "<e"
    try:
        raw = struct.pack(code, value)
    except OverflowError:
        raw = struct.pack(code, math.copysign(math.inf, value))
    return int.from_bytes(raw, "little")


def int_words(value: int, width: int, signed: bool) -> list[Operand]:
    """Return the words of an integer literal; below 32 bits it is extended according to the signedness."""
    value &= (1 << width) - 1
    if width > 32:
        return [value & 0xFFFFFFFF, value >> 32]
    if signed and value >> (width - 1):
        value |= 0xFFFFFFFF << width & 0xFFFFFFFF
    return [value]


class ConstantTable(TypeTable):
    """The constants of one module; a base class of ``ModuleBuilder``.

    All methods return provisional ids. A requested constant is written even if it is unused, as in DXC (spirv-opt
    removes it); those of ``lazy_uint`` are written at their first use.
    """

    def __init__(self, *, storage_buffer_class: bool = False) -> None:
        super().__init__(storage_buffer_class=storage_buffer_class)
        self.constants: dict[int, ConstInfo] = {}
        self.constant_order: dict[int, None] = {}
        """Constants to write before the variables, in order of first request."""
        self.undefs: dict[int, int] = {}
        """Type → its OpUndef, in order of first request."""
        self.requested: dict[int, None] = {}
        """Undefs and instruction sets, in order of first request."""
        self._const_by_key: dict[tuple[object, ...], int] = {}

    def _constant(
        self,
        opcode: int,
        type_id: int,
        operands: list[Operand],
        value: bool | int | float | None = None,
        *,
        spec: bool = False,
        lazy: bool = False,
    ) -> int:
        key = (opcode, type_id, *operands)
        number = 0 if spec else self._const_by_key.get(key, 0)
        if not number:
            number = self.new_id()
            self.constants[number] = ConstInfo(opcode, type_id, operands, value, spec)
            if type_id:
                self._types_of[number] = type_id
            if not spec:
                self._const_by_key[key] = number
        if not lazy:
            self.constant_order[number] = None
        return number

    # ---- scalars

    def const_bool(self, value: bool) -> int:
        """Return the constant true or false."""
        return self._constant(op.OpConstantTrue if value else op.OpConstantFalse, self.bool_type(), [], value)

    def const_int(self, value: int, type_id: int) -> int:
        """Return a constant of any integer type; the value wraps around."""
        info = self.types[type_id]
        words = int_words(value, info.width, info.signed)
        wrapped = value & ((1 << info.width) - 1)
        if info.signed and wrapped >> (info.width - 1):
            wrapped -= 1 << info.width
        return self._constant(op.OpConstant, type_id, words, wrapped)

    def const_float(self, value: float, type_id: int) -> int:
        """Return a floating point constant of 16, 32 or 64 bits."""
        info = self.types[type_id]
        bits = float_bits(value, info.width)
        words: list[Operand] = [bits & 0xFFFFFFFF, bits >> 32] if info.width == 64 else [bits]
        return self._constant(op.OpConstant, type_id, words, value)

    def const_bits(self, bits: int, type_id: int) -> int:
        """Return the id of a numeric constant given by its bits, which preserves the payload of NaNs."""
        info = self.types[type_id]
        if info.kind == "int":
            return self.const_int(bits, type_id)
        words: list[Operand] = [bits & 0xFFFFFFFF, bits >> 32] if info.width == 64 else [bits]
        code = {16: "<e", 32: "<f", 64: "<d"}[info.width]
        (value,) = struct.unpack(code, bits.to_bytes(info.width // 8, "little"))
        return self._constant(op.OpConstant, type_id, words, float(value))

    def const_scalar(self, value: bool | int | float, type_id: int) -> int:
        """Return the id of a bool, integer or float constant, as the type requires."""
        kind = self.types[type_id].kind
        if kind == "bool":
            return self.const_bool(bool(value))
        if kind == "int":
            return self.const_int(int(value), type_id)
        return self.const_float(float(value), type_id)

    def const_uint(self, value: int) -> int:
        """Return a 32-bit unsigned integer constant."""
        return self.const_int(value, self.u32())

    def const_i32(self, value: int) -> int:
        """Return a 32-bit signed integer constant."""
        return self.const_int(value, self.i32())

    def const_f32(self, value: float) -> int:
        return self.const_float(value, self.f32())

    def lazy_uint(self, value: int) -> int:
        """Return the id of a uint for scopes, memory semantics or array lengths; it is written at its first use."""
        return self._constant(op.OpConstant, self.u32(), int_words(value, 32, False), value, lazy=True)

    def lazy_constant(
        self, opcode: int, type_id: int, operands: list[Operand], value: bool | int | float | None
    ) -> int:
        """Return the id of a constant given by its instruction (no specialisation constant).

        It is written at its first use.
        """
        return self._constant(opcode, type_id, operands, value, lazy=True)

    def const_string(self, value: str) -> int:
        """Return the id of an AMDX string constant; it is written at its first use."""
        return self._constant(op.OpConstantStringAMDX, 0, [value], lazy=True)

    # ---- composites, null, undef

    def const_composite(self, type_id: int, parts: list[int] | tuple[int, ...]) -> int:
        """Return the id of a composite constant; it is a specialisation constant if an element is."""
        check_size("elements of a composite", len(parts), MAX_PARTS)
        spec = any(self.is_spec_constant(part) for part in parts)
        opcode = op.OpSpecConstantComposite if spec else op.OpConstantComposite
        return self._constant(opcode, type_id, list(parts), spec=spec)

    def const_splat(self, part: int, type_id: int) -> int:
        """Return the id of a vector with the constant ``part`` in each component; ``part`` itself for a scalar type."""
        info = self.types[type_id]
        return self.const_composite(type_id, [part] * info.count) if info.kind == "vector" else part

    def const_null(self, type_id: int) -> int:
        return self._constant(op.OpConstantNull, type_id, [])

    def undef(self, type_id: int) -> int:
        """Return the module-level ``OpUndef`` of a type."""
        number = self.undefs.get(type_id)
        if number is None:
            number = self.undefs[type_id] = self.new_id()
            self._types_of[number] = type_id
        self.requested[number] = None
        return number

    def zero(self, type_id: int) -> int:
        """Return the id of DXC's zero for a type: a number for scalars and vectors, OpConstantNull for others."""
        info = self.types[type_id]
        if info.is_scalar:
            return self.const_scalar(0, type_id)
        if info.kind == "vector":
            return self.const_splat(self.const_scalar(0, info.elem.id), type_id)
        return self.const_null(type_id)

    # ---- specialisation constants

    def spec_constant(self, type_id: int, value: bool | int | float, spec_id: int | None = None) -> int:
        info = self.types[type_id]
        if info.kind == "bool":
            number = self._constant(op.OpSpecConstantTrue if value else op.OpSpecConstantFalse, type_id, [], spec=True)
        elif info.kind == "int":
            words = int_words(int(value), info.width, info.signed)
            number = self._constant(op.OpSpecConstant, type_id, words, spec=True)
        else:
            bits = float_bits(float(value), info.width)
            words = [bits & 0xFFFFFFFF, bits >> 32] if info.width == 64 else [bits]
            number = self._constant(op.OpSpecConstant, type_id, words, spec=True)
        if spec_id is not None:
            self._decorate_spec_id(number, spec_id)
        return number

    def _decorate_spec_id(self, number: int, spec_id: int) -> None:
        raise NotImplementedError

    def spec_constant_op(self, opcode: int, type_id: int, *operands: int) -> int:
        """Return the id of an operation on specialisation constants; it is written at its first use."""
        return self._constant(op.OpSpecConstantOp, type_id, [opcode, *operands], spec=True, lazy=True)

    def raw_constant(self, opcode: int, type_id: int, words: list[int]) -> int:
        """Return the id of a constant of inline SPIR-V, of any type; each specialisation constant is a new one."""
        return self._constant(opcode, type_id, list(words), spec=opcode == op.OpSpecConstant)

    # ---- questions

    def is_constant(self, value: int) -> bool:
        """Return whether a value is a constant or specialisation constant."""
        return value in self.constants

    def is_spec_constant(self, value: int) -> bool:
        info = self.constants.get(value)
        return info is not None and info.is_spec

    def constant_value(self, value: int) -> bool | int | float | None:
        """Return the value of a scalar constant; ``None`` for other values, including specialisation constants."""
        info = self.constants.get(value)
        return None if info is None else info.value
