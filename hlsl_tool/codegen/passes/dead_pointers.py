"""Remove local variables of pointer type that are written but never read.

Before: a legalised and optimised module. After: no function has a variable with a pointer as its value that is only
stored to. ``vk::GetGroupSharedAddress`` and ``vk::BufferPointer`` produce such variables, when all their loads have
been replaced. They are invalid in Vulkan, or lack a decoration, and spirv-opt does not remove a store of a pointer that
is read elsewhere.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.ir import Function, Module


def remove_dead_pointers(module: Module, index: ModuleIndex | None = None) -> bool:
    """Remove local pointer variables that are only stored to, and these stores, in place.

    Return whether there were any.
    """
    index = index or ModuleIndex(module)
    if not any(_points_to_pointer(inst.type_id, index) for inst in index.with_opcodes((op.OpVariable,))):
        return False
    gone: set[int] = set()
    for function in module.functions:
        gone |= _unread(function, index)
    if not gone:
        return False
    for function in module.functions:
        for block in function.blocks:
            block.instructions = [
                inst
                for inst in block.instructions
                if inst.result_id not in gone and not (inst.op == op.OpStore and inst.id(0) in gone)
            ]
    module.names = [inst for inst in module.names if inst.operands[0] not in gone]
    module.annotations = [inst for inst in module.annotations if inst.operands[0] not in gone]
    return True


def _unread(function: Function, index: ModuleIndex) -> set[int]:
    """Return the variables of pointer type whose only uses are as the target of ``OpStore``."""
    variables: set[int] = set()
    for inst in function.instructions():
        if inst.op == op.OpVariable and _points_to_pointer(inst.type_id, index):
            variables.add(inst.result_id)
    if not variables:
        return variables
    for inst in function.instructions():
        operands = inst.operands[1:] if inst.op == op.OpStore else inst.operands
        if inst.op != op.OpVariable:
            variables.difference_update(operand for operand in operands if isinstance(operand, int))
    return variables


def _points_to_pointer(type_id: int, index: ModuleIndex) -> bool:
    return index.definitions[index.definitions[type_id].id(1)].op == op.OpTypePointer
