"""Default values of constants, and the specialisation constants on which they depend (SPIR-V 3.49.7)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence

from hlsl_tool.reflection.check import ReflectError
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.module_index import Decorations
from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.spirv.grammar import tables
from hlsl_tool.spirv.ir import Instruction

Number = bool | int | float
Value = Number | list["Value"]

_FLOATS = {16: "<e", 32: "<f", 64: "<d"}
_MAX_DEPTH = 200


class Constants:
    """Evaluates the constants of a module."""

    def __init__(self, definitions: dict[int, Instruction], spec_ids: dict[int, int]) -> None:
        self.definitions = definitions
        self.spec_ids = spec_ids
        """Id of a constant → its SpecId."""

    def scalar(self, number: int) -> Number:
        """Return the (default) value of a constant; raise ``ReflectError`` if the id is no scalar constant."""
        value = self.value(number)
        if isinstance(value, list):
            raise ReflectError(f"the constant %{number} is no scalar")
        return value

    def value(self, number: int, depth: int = 0) -> Value:
        """Return the (default) value of a constant; composites are lists.

        Raises ``ReflectError`` if the id is no constant, and for nesting deeper than ``_MAX_DEPTH``.
        """
        inst = self.definitions.get(number)
        make = _VALUES.get(inst.op) if inst is not None else None
        if inst is None or make is None:
            raise ReflectError(f"%{number} is no constant")
        if depth > _MAX_DEPTH:
            raise ReflectError(f"the constant %{number} is nested too deep")
        return make(self, inst, depth + 1)

    def depends_on(self, number: int) -> list[int]:
        """Return the SpecIds of the specialisation constants on which a constant depends, in ascending order."""
        ids: set[int] = set()
        seen: set[int] = set()
        todo = [number]
        while todo:
            at = todo.pop()
            inst = self.definitions.get(at)
            if inst is None or at in seen:
                continue
            seen.add(at)
            if at in self.spec_ids:
                ids.add(self.spec_ids[at])
            elif inst.op == op.OpSpecConstantOp:
                todo += inst.ints()[1:]
            elif inst.op in (op.OpConstantComposite, op.OpSpecConstantComposite):
                todo += inst.ints()
        return sorted(ids)

    # ---------------------------------------------------------------------------------------------------- by opcode

    def _true(self, inst: Instruction, _: int) -> Value:
        return True

    def _false(self, inst: Instruction, _: int) -> Value:
        return False

    def _null(self, inst: Instruction, _: int) -> Value:
        return 0

    def _literal(self, inst: Instruction, _: int) -> Value:
        """Decode the words of a scalar constant."""
        t = self.definitions[inst.type_id]
        bits = t.id(0)
        data = b"".join(w.to_bytes(4, "little") for w in inst.ints())[: max(bits // 8, 1)]
        if t.op == op.OpTypeFloat and bits in _FLOATS:
            decimal: float = struct.unpack(_FLOATS[bits], data)[0]
            return decimal
        return int.from_bytes(data, "little", signed=t.op == op.OpTypeInt and t.id(1) == 1)

    def _composite(self, inst: Instruction, depth: int) -> Value:
        return [self.value(part, depth) for part in inst.ints()]

    def _operation(self, inst: Instruction, depth: int) -> Value:
        number, operands = inst.id(0), inst.ints()[1:]
        name = tables.INSTRUCTIONS[number][0] if number in tables.INSTRUCTIONS else str(number)
        if number == op.OpCompositeExtract:
            value = self.value(operands[0], depth)
            for index in operands[1:]:
                if not isinstance(value, list) or index >= len(value):
                    raise ReflectError(f"%{inst.result_id} extracts what is not there")
                value = value[index]
            return value
        function = _OPERATIONS.get(number)
        if function is None:
            raise ReflectError(f"the operation {name} in a specialisation constant is not supported")
        values = [self.value(operand, depth) for operand in operands]
        count = 3 if number == op.OpSelect else 1 if number in _UNARY else 2
        numbers = [v for v in values if isinstance(v, (bool, int))]
        if len(numbers) != count or len(values) != count:
            raise ReflectError(f"the operation {name} on {len(values)} constants is not supported")
        return self._wrap(inst, function(numbers))

    def _wrap(self, inst: Instruction, value: int) -> Value:
        """Wrap an integer to the range of the instruction's type."""
        t = self.definitions.get(inst.type_id)
        if t is None or t.op != op.OpTypeInt:
            return bool(value) if t is not None and t.op == op.OpTypeBool else value
        bits = t.id(0)
        value &= (1 << bits) - 1
        return value - (1 << bits) if t.id(1) == 1 and value >> (bits - 1) else value


_VALUES: dict[int, Callable[[Constants, Instruction, int], Value]] = {
    op.OpConstantTrue: Constants._true,
    op.OpSpecConstantTrue: Constants._true,
    op.OpConstantFalse: Constants._false,
    op.OpSpecConstantFalse: Constants._false,
    op.OpConstant: Constants._literal,
    op.OpSpecConstant: Constants._literal,
    op.OpConstantComposite: Constants._composite,
    op.OpSpecConstantComposite: Constants._composite,
    op.OpConstantNull: Constants._null,
    op.OpSpecConstantOp: Constants._operation,
}


def _divide(a: int, b: int) -> int:
    """Divide and round towards zero; a division by zero, which SPIR-V leaves undefined, returns 0."""
    if b == 0:
        return 0
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _shift(a: int, b: int, *, left: bool) -> int:
    if not 0 <= b < 64:
        return 0
    return a << b if left else a >> b


def _logical_right(a: int, b: int) -> int:
    return _shift(a & 0xFFFFFFFF if a < 0 else a, b, left=False)


_UNARY = frozenset((op.OpSNegate, op.OpNot, op.OpLogicalNot, op.OpUConvert, op.OpSConvert, op.OpBitcast))
_OPERATIONS: dict[int, Callable[[Sequence[int]], int]] = {
    op.OpIAdd: lambda v: v[0] + v[1],
    op.OpISub: lambda v: v[0] - v[1],
    op.OpIMul: lambda v: v[0] * v[1],
    op.OpUDiv: lambda v: _divide(v[0], v[1]),
    op.OpSDiv: lambda v: _divide(v[0], v[1]),
    op.OpUMod: lambda v: v[0] - v[1] * _divide(v[0], v[1]),
    op.OpSRem: lambda v: v[0] - v[1] * _divide(v[0], v[1]),
    op.OpSMod: lambda v: v[0] % v[1] if v[1] else 0,
    op.OpShiftLeftLogical: lambda v: _shift(v[0], v[1], left=True),
    op.OpShiftRightArithmetic: lambda v: _shift(v[0], v[1], left=False),
    op.OpShiftRightLogical: lambda v: _logical_right(v[0], v[1]),
    op.OpBitwiseAnd: lambda v: v[0] & v[1],
    op.OpBitwiseOr: lambda v: v[0] | v[1],
    op.OpBitwiseXor: lambda v: v[0] ^ v[1],
    op.OpNot: lambda v: ~v[0],
    op.OpSNegate: lambda v: -v[0],
    op.OpUConvert: lambda v: v[0],
    op.OpSConvert: lambda v: v[0],
    op.OpBitcast: lambda v: v[0],
    op.OpSelect: lambda v: v[1] if v[0] else v[2],
    op.OpLogicalAnd: lambda v: v[0] and v[1],
    op.OpLogicalOr: lambda v: v[0] or v[1],
    op.OpLogicalNot: lambda v: not v[0],
    op.OpLogicalEqual: lambda v: v[0] == v[1],
    op.OpLogicalNotEqual: lambda v: v[0] != v[1],
    op.OpIEqual: lambda v: v[0] == v[1],
    op.OpINotEqual: lambda v: v[0] != v[1],
    op.OpULessThan: lambda v: v[0] < v[1],
    op.OpSLessThan: lambda v: v[0] < v[1],
    op.OpULessThanEqual: lambda v: v[0] <= v[1],
    op.OpSLessThanEqual: lambda v: v[0] <= v[1],
    op.OpUGreaterThan: lambda v: v[0] > v[1],
    op.OpSGreaterThan: lambda v: v[0] > v[1],
    op.OpUGreaterThanEqual: lambda v: v[0] >= v[1],
    op.OpSGreaterThanEqual: lambda v: v[0] >= v[1],
}


def spec_ids(decorations: Mapping[int, Decorations]) -> dict[int, int]:
    """Return id → SpecId of each constant that has such a decoration."""
    operands = ((number, own.get(Decoration.SpecId)) for number, own in decorations.items())
    return {number: spec_id[0] for number, spec_id in operands if spec_id and isinstance(spec_id[0], int)}
