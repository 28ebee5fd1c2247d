"""Evaluate the constants of a module, with values for its specialisation constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.spirv.grammar import tables
from hlsl_tool.spirv.ir import Instruction, Operand
from hlsl_tool.spirv.numbers import literal_bits

from ..errors import NotInterpretedError
from ..instructions.context import BUILDERS, Context
from ..model.types import Type
from ..runtime.values import Array, Value, stacked, zeros

Special = Mapping[int, int | float | bool]
"""SpecId → value."""


def evaluate(context: Context, special: Special) -> None:
    """Add the values of all constants to the context."""
    for inst in context.index.module.globals:
        evaluator = _EVALUATORS.get(inst.op)
        if evaluator is not None:
            context.constants[inst.result_id] = evaluator(context, inst, special)


def _number(of: Type, operands: Sequence[Operand]) -> Array:
    assert of.dtype is not None
    bits = literal_bits(operands) & ((1 << 8 * of.dtype.itemsize) - 1)
    return np.array([bits], f"u{of.dtype.itemsize}").view(of.dtype)


def _given(context: Context, inst: Instruction, special: Special) -> Any:
    facts = context.index.decorations.get(inst.result_id, {}).get(Decoration.SpecId)
    return special.get(facts[0]) if facts and isinstance(facts[0], int) else None


def _constant(context: Context, inst: Instruction, special: Special) -> Value:
    of = context.types.of(inst)
    given = _given(context, inst, special)
    if given is None:
        return _number(of, inst.operands)
    assert of.dtype is not None
    if of.kind == "float":
        return np.array([given], of.dtype)
    return np.array([int(given) & ((1 << 8 * of.dtype.itemsize) - 1)], of.dtype)


def _bool(context: Context, inst: Instruction, special: Special) -> Value:
    given = _given(context, inst, special)
    default = inst.op in (op.OpConstantTrue, op.OpSpecConstantTrue)
    return np.array([default if given is None else bool(given)])


def _composite(context: Context, inst: Instruction, _: Special) -> Value:
    of = context.types.of(inst)
    parts = [context.constants[number] for number in inst.ints()]
    is_replicated = inst.op in (op.OpConstantCompositeReplicateEXT, op.OpSpecConstantCompositeReplicateEXT)
    if is_replicated or of.kind == "cooperative":
        parts *= of.length or len(of.members)
    return parts if of.kind == "struct" else stacked(parts)


def _null(context: Context, inst: Instruction, _: Special) -> Value:
    return zeros(context.types.of(inst))


def _operation(context: Context, inst: Instruction, _: Special) -> Value:
    opcode = inst.id(0)
    builder = BUILDERS.get(opcode)
    if builder is None:
        raise NotInterpretedError(f"OpSpecConstantOp {tables.INSTRUCTIONS[opcode][0]}")
    step = builder(context, Instruction(opcode, inst.type_id, inst.result_id, inst.operands[1:]))
    assert step is not None
    registers: Any = context.constants
    step(registers, None)
    return registers[inst.result_id]


def _size_of(context: Context, inst: Instruction, _: Special) -> Value:
    return _number(context.types.of(inst), [DESCRIPTOR_SIZE])


DESCRIPTOR_SIZE = 64
"""The size of descriptors in heaps, of all kinds."""
_EVALUATORS = {
    op.OpConstantSizeOfEXT: _size_of,
    op.OpConstant: _constant,
    op.OpSpecConstant: _constant,
    op.OpConstantTrue: _bool,
    op.OpConstantFalse: _bool,
    op.OpSpecConstantTrue: _bool,
    op.OpSpecConstantFalse: _bool,
    op.OpConstantComposite: _composite,
    op.OpSpecConstantComposite: _composite,
    op.OpConstantCompositeReplicateEXT: _composite,
    op.OpSpecConstantCompositeReplicateEXT: _composite,
    op.OpConstantNull: _null,
    op.OpUndef: _null,
    op.OpSpecConstantOp: _operation,
}
