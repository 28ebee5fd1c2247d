"""Find and replace the ids among instructions' operands; find instructions without side effects."""

from __future__ import annotations

from collections.abc import Container, Mapping

from hlsl_tool.spirv import glsl, op, opencl_debug
from hlsl_tool.spirv.analysis.kinds import NUMBERS, SPARSE_READS
from hlsl_tool.spirv.enums import MemoryAccess
from hlsl_tool.spirv.grammar.tables import PLAIN_IDS, id_flags, plain_ids
from hlsl_tool.spirv.ir import Instruction, Operand

_LITERALS = NUMBERS | {op.OpSwitch}
"""Opcodes whose literals may look like ids; only the selector of ``OpSwitch`` is treated as one."""


def uses(inst: Instruction, ids: Container[object]) -> bool:
    """Return whether an operand is one of these ids; labels of ``OpSwitch`` are ignored."""
    if not any(operand in ids for operand in inst.operands):
        return False
    if inst.op in _LITERALS:
        return inst.op == op.OpSwitch and inst.operands[0] in ids
    flags = id_flags(inst.op, inst.operands)
    return any(flag and operand in ids for operand, flag in zip(inst.operands, flags, strict=True))


def used_ids(inst: Instruction) -> list[int]:
    """Return the ids among the operands, in order; for ``OpSwitch`` only the selector.

    If all operands are ids, the instruction's own operand list is returned.
    """
    opcode, operands = inst.op, inst.operands
    if len(operands) <= PLAIN_IDS.get(opcode, -1) or len(operands) <= plain_ids(opcode):
        return operands  # type: ignore[return-value]  # all of them are ids
    if opcode in _LITERALS:
        return [inst.id(0)] if opcode == op.OpSwitch else []
    flags = id_flags(opcode, operands)
    return [operand for operand, flag in zip(operands, flags, strict=False) if flag and isinstance(operand, int)]


def rename(inst: Instruction, by: Mapping[int, int]) -> None:
    """Replace operand ids in place; result id and type do not change, nor do ``OpSwitch`` and constants."""
    if inst.op in _LITERALS or not any(operand in by for operand in inst.operands):
        return
    inst.operands = renamed_operands(inst, by)


def renamed(inst: Instruction, by: Mapping[int, int], literal_words: int = 1) -> Instruction:
    """Return a copy with all ids replaced: operands, labels, type and result."""
    operands = renamed_operands(inst, by, literal_words)
    return Instruction(inst.op, inst.type_id, by.get(inst.result_id, inst.result_id), operands)


def renamed_operands(inst: Instruction, by: Mapping[int, int], literal_words: int = 1) -> list[Operand]:
    """Return the operands with all ids replaced, including labels.

    ``literal_words`` is the size in words of the literals of an ``OpSwitch``.
    """
    flags = id_flags(inst.op, inst.operands, literal_words)
    return [
        by.get(operand, operand) if flag and isinstance(operand, int) else operand
        for operand, flag in zip(inst.operands, flags, strict=True)
    ]


# --------------------------------------------------------------------------------------------------------- purity


def is_non_semantic(set_name: str) -> bool:
    """Return whether an extended set's instructions never affect results, as with debug information."""
    return set_name.startswith("NonSemantic.") or set_name == opencl_debug.SET


PURE = frozenset(
    (
        op.OpUndef, op.OpAccessChain, op.OpInBoundsAccessChain, op.OpPtrAccessChain, op.OpArrayLength,
        op.OpImageTexelPointer, *range(op.OpVectorExtractDynamic, op.OpTranspose + 1),
        *range(op.OpSampledImage, op.OpImageRead + 1), *range(op.OpImage, op.OpImageQuerySamples + 1),
        *range(op.OpConvertFToU, op.OpBitcast + 1), *range(op.OpSNegate, op.OpFUnordGreaterThanEqual + 1),
        *range(op.OpShiftRightLogical, op.OpBitCount + 1), *range(op.OpDPdx, op.OpFwidthCoarse + 1), op.OpPhi,
        *SPARSE_READS, op.OpImageSparseTexelsResident, op.OpCopyLogical, *range(op.OpSDot, op.OpSUDotAccSat + 1),
    )
)  # fmt: skip
"""Opcodes without side effects, whatever their operands are."""

_WITH_POINTERS = frozenset((glsl.Modf, glsl.Frexp))
"""Instructions of GLSL.std.450 that write through a pointer."""


def is_pure(inst: Instruction, glsl_set: int) -> bool:
    """Return whether an instruction has no side effects, so that it can be removed if its result is unused.

    ``glsl_set`` is the id of the import of GLSL.std.450; instructions of other extended sets count as impure.
    """
    if inst.op == op.OpLoad:
        return len(inst.operands) < 2 or not inst.id(1) & MemoryAccess.Volatile
    if inst.op == op.OpExtInst:
        return inst.operands[0] == glsl_set and inst.operands[1] not in _WITH_POINTERS
    return inst.op in PURE
