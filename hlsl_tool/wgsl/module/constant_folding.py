"""Fold operations on constants of 32-bit numbers."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Sequence

from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl.module.folding import FOLDS
from hlsl_tool.wgsl.module.view import View

CONSTANTS = frozenset((op.OpConstant, op.OpConstantTrue, op.OpConstantFalse, op.OpConstantComposite, op.OpConstantNull))
_FLOATS: dict[int, Callable[[float, float], float]] = {
    op.OpFAdd: operator.add,
    op.OpFSub: operator.sub,
    op.OpFMul: operator.mul,
    op.OpFDiv: operator.truediv,
    op.OpVectorTimesScalar: operator.mul,
    op.OpFNegate: lambda a, _: -a,
}

_FUNCTIONS: dict[int, Callable[..., float]] = {
    glsl.FAbs: abs,
    glsl.FMax: max,
    glsl.FMin: min,
    glsl.NMax: max,
    glsl.NMin: min,
    glsl.FClamp: lambda x, low, high: min(max(x, low), high),
    glsl.NClamp: lambda x, low, high: min(max(x, low), high),
    glsl.Floor: math.floor,
    glsl.Ceil: math.ceil,
}


def component(view: View, value: int, indices: list[int]) -> int:
    """Return the constant at a path in a constant composite; 0 for other values."""
    for index in indices:
        inst = view.defs[value]
        if inst.op == op.OpConstantNull and view.type(inst.type_id).op == op.OpTypeVector:
            return view.add(Instruction(op.OpConstantNull, view.element(inst.type_id), view.fresh(), []))
        if inst.op != op.OpConstantComposite or not 0 <= index < len(inst.operands):
            return 0
        value = inst.id(index)
    return value


def is_finite(view: View, constant: int) -> bool:
    """Return whether WGSL has an expression for a constant: it has none for NaN and infinities, also in composites."""
    inst = view.defs[constant]
    if inst.op in (op.OpConstantComposite, op.OpSpecConstantComposite):
        return all(is_finite(view, part) for part in inst.ints())
    number = view.float_constant(constant)
    return number is None or math.isfinite(number)


class Folder:
    """Finds the constants that values evaluate to, and adds these constants to the module."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.results: dict[int, int] = {}

    def constant(self, value: int) -> int:
        """Return the id of the constant that a value evaluates to.

        The result is 0 for other values, and for results that are not finite.
        """
        if value not in self.results:
            self.results[value] = self._evaluate(value)
        return self.results[value]

    def _evaluate(self, value: int) -> int:
        inst = self.view.defs[value]
        if inst.op in CONSTANTS:
            return value
        if inst.op == op.OpLoad:
            loaded = self._loaded(inst.id(0))
            return self.constant(loaded) if loaded else 0
        if inst.op == op.OpCompositeConstruct:
            parts = [self.constant(part) for part in inst.ints()]
            return self._add(op.OpConstantComposite, inst.type_id, parts) if all(parts) else 0
        if inst.op in _FLOATS:
            return self._operation(inst, _FLOATS[inst.op])
        if inst.op in FOLDS and inst.op != op.OpSelect:
            return self._integers(inst)
        if inst.op in (op.OpConvertSToF, op.OpConvertUToF):
            number = self.view.constant(source) if (source := self.constant(inst.id(0))) else None
            exact = number is not None and abs(number) < 1 << 24
            return self._vector(inst.type_id, [float(number)]) if exact and number is not None else 0
        if inst.op == op.OpExtInst and inst.id(0) == self.view.glsl():
            return self._built_in(inst)
        return 0

    def _loaded(self, pointer: int) -> int:
        """Return the value of a static variable that is a constant, or of its element; 0 for other memory."""
        chain = self.view.defs[pointer]
        if chain.op not in ACCESS_CHAINS:
            return self.view.statics.get(pointer, 0)
        whole = self._loaded(chain.id(0))
        constants = [self.constant(index) for index in chain.ints()[1:]] if whole else []
        indices = [self.view.constant(number) if number else None for number in constants]
        known = [index for index in indices if index is not None]
        return component(self.view, whole, known) if whole and len(known) == len(indices) else 0

    def _built_in(self, inst: Instruction) -> int:
        if inst.id(1) == glsl.Normalize:
            vector = self._floats(inst.id(2))
            length = math.sqrt(sum(part * part for part in vector))
            return self._vector(inst.type_id, [part / length for part in vector]) if length else 0
        function = _FUNCTIONS.get(inst.id(1))
        arguments = [self._floats(argument) for argument in inst.ints()[2:]]
        if function is None or not all(arguments):
            return 0
        return self._vector(inst.type_id, [function(*parts) for parts in zip(*arguments, strict=True)])

    def _integers(self, inst: Instruction) -> int:
        """Return the constant for an operation on non-negative integer constants; 0 for other operations."""
        if self.view.type(inst.type_id).op == op.OpTypeVector:
            return self._integer_vector(inst)
        numbers = [self.view.constant(source) if (source := self.constant(part)) else None for part in inst.ints()]
        known = [number for number in numbers if number is not None and number >= 0]
        by_zero = inst.op in (op.OpUDiv, op.OpSDiv, op.OpUMod) and 0 in known[1:]
        if len(known) < len(numbers) or by_zero or self.view.type(inst.type_id).op != op.OpTypeInt:
            return 0
        return self._add(op.OpConstant, inst.type_id, [FOLDS[inst.op](*known) & 0xFFFFFFFF])

    def _integer_vector(self, inst: Instruction) -> int:
        """Return the constant for an operation on vectors of integers, by component."""
        constants = [self.view.defs[self.constant(part) or part] for part in inst.ints()]
        if any(constant.op != op.OpConstantComposite for constant in constants):
            return 0
        scalar = self.view.scalar(inst.type_id).result_id
        parts = [
            self._integers(Instruction(inst.op, scalar, 0, [*operands]))
            for operands in zip(*[constant.ints() for constant in constants], strict=True)
        ]
        return self._add(op.OpConstantComposite, inst.type_id, parts) if all(parts) else 0

    def _operation(self, inst: Instruction, function: Callable[[float, float], float]) -> int:
        left, right = self._floats(inst.id(0)), self._floats(inst.ints()[-1])
        if not left or not right:
            return 0
        right = right * len(left) if len(right) == 1 else right
        try:
            return self._vector(inst.type_id, [function(a, b) for a, b in zip(left, right, strict=True)])
        except (OverflowError, ZeroDivisionError):
            return 0

    def _floats(self, value: int) -> list[float]:
        """Return the components of a 32-bit float constant; an empty list for other values."""
        number = self.constant(value)
        if not number:
            return []
        inst = self.view.defs[number]
        kind = self.view.scalar(inst.type_id)
        if kind.op != op.OpTypeFloat or kind.id(0) != 32 or self.view.type(inst.type_id).op == op.OpTypeMatrix:
            return []
        if inst.op == op.OpConstantNull:
            return [0.0] * self.view.components(inst.type_id)
        parts = inst.ints() if inst.op == op.OpConstantComposite else [number]
        floats = [self.view.float_constant(part) for part in parts]
        return [part for part in floats if part is not None] if None not in floats else []

    def _vector(self, type_id: int, floats: Sequence[float]) -> int:
        """Return the id of a constant float or vector; 0 if a component is not finite."""
        parts: list[int] = []
        scalar = self.view.scalar(type_id).result_id
        for number in floats:
            bits = struct.pack("<f", number)  # OverflowError beyond the largest float
            if not math.isfinite(struct.unpack("<f", bits)[0]):
                return 0
            parts.append(self._add(op.OpConstant, scalar, [int.from_bytes(bits, "little")]))
        return parts[0] if len(parts) == 1 else self._add(op.OpConstantComposite, type_id, parts)

    def _add(self, opcode: int, type_id: int, operands: list[int]) -> int:
        return self.view.add(Instruction(opcode, type_id, self.view.fresh(), [*operands]))
