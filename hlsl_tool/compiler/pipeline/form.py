"""The form of a promoted module, which decides the passes of spirv-opt."""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ALL_CHAINS
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.enums import LoopControl, StorageClass
from hlsl_tool.spirv.ir import Operand
from hlsl_tool.spirv.tools.passes import Form

_CONSTANTS = frozenset((op.OpConstantTrue, op.OpConstantFalse, op.OpConstantNull, op.OpConstant))
_COMPARISONS = frozenset(range(op.OpLogicalEqual, op.OpFUnordGreaterThanEqual + 1))
"""Comparisons and logical operations."""
_SHORT = frozenset((op.OpLogicalAnd, op.OpLogicalOr))
"""Operations whose result may be constant if one operand is."""
_BRANCHES = (op.OpBranchConditional, op.OpSwitch)
_COMPOSITES = frozenset((op.OpTypeStruct, op.OpTypeArray))


def unrolls(index: ModuleIndex) -> bool:
    """Return whether a module has a loop that spirv-opt is to unroll."""
    return any(inst.id(2) & LoopControl.Unroll for inst in index.with_opcodes((op.OpLoopMerge,)))


def form_of(index: ModuleIndex) -> Form:
    """Return the form of a promoted module."""
    by_opcode = index.by_opcode
    declarations = index.module.globals
    composites = {inst.result_id for inst in declarations if inst.op in _COMPOSITES}
    has_private = any(inst.op == op.OpVariable and inst.operands[0] == StorageClass.Private for inst in declarations)
    return Form(
        unrolls=unrolls(index),
        has_variables=has_private or op.OpVariable in by_opcode,
        has_several_blocks=any(len(function.blocks) > 1 for function in index.module.functions),
        has_phis=op.OpPhi in by_opcode,
        has_constant_conditions=_has_constant_conditions(index),
        has_inserts=op.OpCompositeInsert in by_opcode,
        has_nested_chains=_has_nested_chains(index),
        loads_composites=any(inst.type_id in composites for inst in by_opcode.get(op.OpLoad, ())),
    )


def _has_nested_chains(index: ModuleIndex) -> bool:
    chains = list(index.with_opcodes(ALL_CHAINS))
    results: set[Operand] = {inst.result_id for inst in chains}
    return any(inst.operands[0] in results for inst in chains)


def _has_constant_conditions(index: ModuleIndex) -> bool:
    """Return whether the condition of a branch is a constant, or a comparison of constants."""
    branches = list(index.with_opcodes(_BRANCHES))
    conditions = {inst.operands[0] for inst in branches if len(inst.operands) > 2}
    if len(conditions) < len(branches) and _has_needless_switch(index):
        return True
    if not conditions:
        return False
    constants: set[Operand] = {inst.result_id for inst in index.module.globals if inst.op in _CONSTANTS}
    for inst in sorted(index.with_opcodes(_COMPARISONS), key=lambda inst: inst.result_id):  # definitions before uses
        combine = any if inst.op in _SHORT else all
        if combine(operand in constants for operand in inst.operands):
            constants.add(inst.result_id)
    return not constants.isdisjoint(conditions)


def _has_needless_switch(index: ModuleIndex) -> bool:
    """Return whether a switch without cases has less than two exits.

    Promotion makes such switches for functions that return early.
    """
    ends = [block.instructions[-2:] for function in index.module.functions for block in function.blocks]
    merges = {end[0].operands[0]: 0 for end in ends if end[-1].op == op.OpSwitch and len(end[-1].operands) == 2}
    for end in ends:
        for target in end[-1].operands:
            if target in merges:
                merges[target] += 1
    return any(count < 2 for count in merges.values())
