"""Replace null constants of integers by zeros: spirv-opt folds operations on vectors of null constants wrongly.

Before: ``OpConstantNull`` of an integer type, or of a composite that contains integers. After: ``OpConstant`` zero, or
an ``OpConstantComposite`` of zeros. spirv-opt extracts elements from null constants, builds vectors of them, and
computes with such vectors as if the null elements were no operands (``~uint2(null, null)`` becomes zero).
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction, Module

_LARGEST = 256
"""Limit on the scalars of a constant that is spelled; larger ones stay null constants."""
_ARITHMETIC = frozenset(
    (
        op.OpNot, op.OpIAdd, op.OpISub, op.OpIMul, op.OpUDiv, op.OpSDiv, op.OpUMod, op.OpSRem, op.OpSMod,
        op.OpShiftRightLogical, op.OpShiftRightArithmetic, op.OpShiftLeftLogical, op.OpBitwiseOr, op.OpBitwiseXor,
        op.OpBitwiseAnd, op.OpBitReverse, op.OpBitCount, op.OpSNegate,
    )
)  # fmt: skip


def has_null_integers(module: Module) -> bool:
    """Return whether a module has both null constants and arithmetic on vectors, so that the pass may be needed."""
    if not any(inst.op == op.OpConstantNull for inst in module.globals):
        return False
    vectors = {inst.result_id for inst in module.globals if inst.op == op.OpTypeVector}
    return any(
        inst.op in _ARITHMETIC and inst.type_id in vectors
        for function in module.functions
        for block in function.blocks
        for inst in block.instructions
    )


def spell_null_constants(module: Module) -> None:
    """Replace null constants of integers, and of composites that contain integers, by zeros, in place."""
    module.globals = _Speller(module).run()


class _Speller:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.types = {inst.result_id: inst for inst in module.globals if inst.result_id and not inst.type_id}
        self.lengths = {
            inst.result_id: inst.operands[0]
            for inst in module.globals
            if inst.op == op.OpConstant and isinstance(inst.operands[0], int)
        }
        self.sizes: dict[int, int] = {}
        self.zeros: dict[int, int] = {}
        """Type → the constant that was added for its zero."""
        self.out: list[Instruction] = []

    def run(self) -> list[Instruction]:
        for inst in self.module.globals:
            is_null = inst.op == op.OpConstantNull and self._holds_integers(inst.type_id)
            if is_null and 0 < self._size(inst.type_id) <= _LARGEST:
                self.out.append(self._spelled(inst.type_id, inst.result_id))
            else:
                self.out.append(inst)
        return self.out

    def _holds_integers(self, type_id: int) -> bool:
        inst = self.types[type_id]
        if inst.op == op.OpTypeStruct:
            return any(self._holds_integers(member) for member in inst.ints())
        if inst.op in (op.OpTypeVector, op.OpTypeMatrix, op.OpTypeArray):
            return self._holds_integers(inst.id(0))
        return inst.op == op.OpTypeInt

    def _size(self, type_id: int) -> int:
        """Return the number of scalars in a type; 0 for a type with other contents or without a constant length."""
        if type_id not in self.sizes:
            self.sizes[type_id] = self._measured(self.types[type_id])
        return self.sizes[type_id]

    def _measured(self, inst: Instruction) -> int:
        if inst.op in (op.OpTypeInt, op.OpTypeFloat, op.OpTypeBool):
            return 1
        if inst.op == op.OpTypeStruct:
            sizes = [self._size(member) for member in inst.ints()]
            return sum(sizes) if all(sizes) else 0
        count = self._count(inst)
        return self._size(inst.id(0)) * count if count else 0

    def _count(self, inst: Instruction) -> int:
        if inst.op in (op.OpTypeVector, op.OpTypeMatrix):
            return inst.id(1)
        return int(self.lengths.get(inst.id(1), 0)) if inst.op == op.OpTypeArray else 0

    def _spelled(self, type_id: int, result: int) -> Instruction:
        """Return the instruction that defines a zero of a type; add the constants for its elements before it."""
        inst = self.types[type_id]
        if inst.op == op.OpTypeInt:
            return Instruction(op.OpConstant, type_id, result, [0] * (2 if inst.id(0) == 64 else 1))
        if not self._holds_integers(type_id):
            return Instruction(op.OpConstantNull, type_id, result, [])
        if inst.op == op.OpTypeStruct:
            parts = [self._zero(member) for member in inst.ints()]
        else:
            parts = [self._zero(inst.id(0))] * self._count(inst)
        return Instruction(op.OpConstantComposite, type_id, result, [*parts])

    def _zero(self, type_id: int) -> int:
        if type_id not in self.zeros:
            number = self.module.bound
            self.module.bound += 1
            self.out.append(self._spelled(type_id, number))
            self.zeros[type_id] = number
        return self.zeros[type_id]
