"""Remove what no function needs: types, constants, variables, names, decorations.

Before: any module without debug information.  After: module-level definitions are those that functions, entry points
and execution modes mention, directly or not, and entry points list no other variables.
"""

from __future__ import annotations

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.encode import function_instructions
from hlsl_tool.spirv.grammar.tables import id_flags, plain_ids
from hlsl_tool.spirv.ir import Instruction, Module, Operand

_STAGE = (e.StorageClass.Input, e.StorageClass.Output)


def remove_dead_globals(module: Module, *, keep_interface: bool, keep_bindings: bool) -> None:
    """See above.  ``keep_interface``: stage variables stay, used or not; ``keep_bindings``: resources do."""
    used: set[int | str] = set()
    made: set[int] = set()
    for function in module.functions:
        for inst in function_instructions(function):
            operands = inst.operands
            if len(operands) <= plain_ids(inst.op):
                used.update(operands)
            elif inst.op == op.OpExtInst:
                used.update(operands[:1])
                used.update(operands[2:])
            else:
                used.update(x for x, flag in zip(operands, id_flags(inst.op, operands), strict=True) if flag)
            used.add(inst.type_id)
            made.add(inst.result_id)
    for inst in module.execution_modes:
        used.update(inst.operands)
    definitions = module.definitions()
    bound = {inst.operands[0] for inst in module.annotations if inst.operands[1:2] == [e.Decoration.Binding]}
    entries = []
    for entry in module.entry_points:
        interface: list[Operand] = []
        for variable in entry.ints()[3:]:
            storage = definitions[variable].operands[0]
            kept = storage == e.StorageClass.Output or (keep_interface and storage in _STAGE)
            if kept or variable in used or (keep_bindings and variable in bound):
                used.add(variable)
                interface.append(variable)
        entries.append(Instruction(entry.op, 0, 0, [*entry.operands[:3], *interface]))
    module.entry_points = entries
    if keep_bindings:
        used.update(bound)
    for inst in module.annotations:
        if inst.op == op.OpDecorateId:
            used.update(inst.operands[2:])
    for inst in reversed(module.globals):
        if inst.result_id in used:
            used.update(_ids(inst))
    # A structure that points to itself is declared behind the pointer, so that one walk backwards is not enough.
    again = any(inst.op == op.OpTypeForwardPointer for inst in module.globals)
    while again:
        before = len(used)
        for inst in reversed(module.globals):
            if inst.result_id in used:
                used.update(_ids(inst))
        again = len(used) != before
    module.globals = [
        inst for inst in module.globals
        if inst.result_id in used or (inst.op == op.OpTypeForwardPointer and inst.operands[0] in used)
    ]  # fmt: skip
    made.update(inst.result_id for inst in module.globals)
    made.update(inst.result_id for inst in module.sources)
    made.update(function.id for function in module.functions)
    made.update(block.label for function in module.functions for block in function.blocks)
    module.names = [inst for inst in module.names if inst.operands[0] in made]
    module.annotations = [inst for inst in module.annotations if inst.operands[0] in made]


def _ids(inst: Instruction) -> list[int]:
    """What a definition mentions.  A literal must not be taken for an id: that may be one already passed by."""
    if inst.op in (op.OpConstant, op.OpSpecConstant):
        return [inst.type_id]
    flags = id_flags(inst.op, inst.operands)
    return [inst.type_id, *(x for x, flag in zip(inst.ints(), flags, strict=True) if flag)]
