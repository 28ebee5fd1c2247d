"""The ids among an instruction's operands: which are used, and others in their place."""

from __future__ import annotations

from collections.abc import Container, Mapping

from . import op
from .grammar.tables import id_flags
from .ir import Instruction, Operand

_LITERALS = frozenset((op.OpConstant, op.OpSpecConstant, op.OpSwitch))
"""Opcodes whose literals may look like ids; of them only the selector of ``OpSwitch`` counts."""


def uses(inst: Instruction, ids: Container[object]) -> bool:
    """Whether an operand is one of these ids (labels of ``OpSwitch`` left out)."""
    if not any(operand in ids for operand in inst.operands):
        return False
    if inst.op in _LITERALS:
        return inst.op == op.OpSwitch and inst.operands[0] in ids
    flags = id_flags(inst.op, inst.operands)
    return any(flag and operand in ids for operand, flag in zip(inst.operands, flags, strict=True))


def used_ids(inst: Instruction) -> list[int]:
    """The ids among the operands, in order; none for opcodes whose literals may look like ids, but a selector."""
    if inst.op in _LITERALS:
        return [inst.id(0)] if inst.op == op.OpSwitch else []
    flags = id_flags(inst.op, inst.operands)
    return [operand for operand, flag in zip(inst.operands, flags, strict=True) if flag and isinstance(operand, int)]


def rename(inst: Instruction, by: Mapping[int, int]) -> None:
    """Put other ids in place of operands; the type and the result stay, and so do ``OpSwitch`` and constants."""
    if inst.op in _LITERALS or not any(operand in by for operand in inst.operands):
        return
    inst.operands = _others(inst, by)


def renamed(inst: Instruction, by: Mapping[int, int]) -> Instruction:
    """A copy with other ids for all that it uses, labels too, and for its result."""
    return Instruction(inst.op, inst.type_id, by.get(inst.result_id, inst.result_id), _others(inst, by))


def _others(inst: Instruction, by: Mapping[int, int]) -> list[Operand]:
    flags = id_flags(inst.op, inst.operands)
    return [
        by.get(operand, operand) if flag and isinstance(operand, int) else operand
        for operand, flag in zip(inst.operands, flags, strict=True)
    ]
