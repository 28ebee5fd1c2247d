"""Evaluate the constants of a module, with values for its specialisation constants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.module_index import literal
from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.spirv.grammar import tables
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.spirv.numbers import literal_bits

from ..errors import NotInterpretedError
from ..instructions.context import BUILDERS, Context
from ..runtime.values import Array, Value, stacked, zeros

Special = Mapping[int, int | float | bool]
"""SpecId → value."""


def evaluate(context: Context, special: Special) -> None:
    """Add the values of all constants to the context."""
    for inst in context.index.module.globals:
        evaluator = _EVALUATORS.get(inst.op)
        if evaluator is not None:
            context.constants[inst.result_id] = evaluator(context, inst, special)


def _number(dtype: np.dtype[Any], bits: int) -> Array:
    return np.array([bits & (1 << 8 * dtype.itemsize) - 1], f"u{dtype.itemsize}").view(dtype)


def _given(context: Context, inst: Instruction, special: Special) -> Any:
    number = literal(context.index.decorations.get(inst.result_id, {}), Decoration.SpecId)
    return None if number is None else special.get(number)


def _constant(context: Context, inst: Instruction, special: Special) -> Value:
    dtype, given = context.numbers_of(inst), _given(context, inst, special)
    if given is None:
        return _number(dtype, literal_bits(inst.operands))
    return np.array([given], dtype) if dtype.kind == "f" else _number(dtype, int(given))


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


def _operation(context: Context, inst: Instruction, _: Special) -> Value:
    opcode = inst.id(0)
    builder = BUILDERS.get(opcode)
    if builder is None:
        raise NotInterpretedError(f"OpSpecConstantOp {tables.INSTRUCTIONS[opcode][0]}")
    step = builder(context, Instruction(opcode, inst.type_id, inst.result_id, inst.operands[1:]))
    assert step is not None
    step(context.constants, None)
    return context.constants[inst.result_id]


DESCRIPTOR_SIZE = 64
"""The size of descriptors in heaps, of all kinds."""
_EVALUATORS = {
    op.OpConstantSizeOfEXT: lambda context, inst, _: _number(context.numbers_of(inst), DESCRIPTOR_SIZE),
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
    op.OpConstantNull: lambda context, inst, _: zeros(context.types.of(inst)),
    op.OpUndef: lambda context, inst, _: zeros(context.types.of(inst)),
    op.OpSpecConstantOp: _operation,
}
