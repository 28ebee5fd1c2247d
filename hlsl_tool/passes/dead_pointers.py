"""Remove local variables of pointer type that are written and never read.

Before: after legalisation and optimisation.  After: no function has a variable that holds a pointer and is only stored
to.  What remains of ``vk::GetGroupSharedAddress`` and ``vk::BufferPointer`` once every load of such a variable has been
replaced is not valid in Vulkan, or not decorated; and spirv-opt keeps a store whose value is a pointer that is read
elsewhere.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.ir import Function, Module


def remove_dead_pointers(module: Module) -> None:
    """See above."""
    index = ModuleIndex(module)
    gone: set[int] = set()
    for function in module.functions:
        gone |= _unread(function, index)
    if not gone:
        return
    for function in module.functions:
        for block in function.blocks:
            block.instructions = [
                inst
                for inst in block.instructions
                if inst.result_id not in gone and not (inst.op == op.OpStore and inst.id(0) in gone)
            ]
    module.names = [inst for inst in module.names if inst.operands[0] not in gone]
    module.annotations = [inst for inst in module.annotations if inst.operands[0] not in gone]


def _unread(function: Function, index: ModuleIndex) -> set[int]:
    """The variables of pointers that nothing but OpStore names, and that only as where to store."""
    found: set[int] = set()
    for inst in function.instructions():
        if inst.op == op.OpVariable and _points_to_pointer(inst.type_id, index):
            found.add(inst.result_id)
    if not found:
        return found
    for inst in function.instructions():
        operands = inst.operands[1:] if inst.op == op.OpStore else inst.operands
        if inst.op != op.OpVariable:
            found.difference_update(operand for operand in operands if isinstance(operand, int))
    return found


def _points_to_pointer(type_id: int, index: ModuleIndex) -> bool:
    return index.definitions[index.definitions[type_id].id(1)].op == op.OpTypePointer
