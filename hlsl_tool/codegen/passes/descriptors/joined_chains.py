"""Join access chains: one to an element of an array of buffers, and one into that element.

Before: a legalised module, where a pointer to a buffer in an array went through a variable or a parameter.  After: such
a pointer is no longer the base of another access chain; each access starts at the variable, as in DXC's modules.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.ir import Instruction, Module


def join_chains(module: Module, index: ModuleIndex | None = None) -> bool:
    """Join access chains in place and remove those that become unused; return whether there were any."""
    index = index or ModuleIndex(module)
    types = {inst.type_id for inst in index.with_opcodes(ACCESS_CHAINS)}
    to_buffer = {number for number in types if index.is_block(index.definitions[number].id(1))}
    to_buffers = {inst.result_id: inst for inst in index.with_opcodes(ACCESS_CHAINS) if inst.type_id in to_buffer}
    joined: set[int] = set()
    for inst in index.with_opcodes(ACCESS_CHAINS) if to_buffers else ():
        before = to_buffers.get(inst.id(0))
        if before is not None:
            inst.operands = [*before.operands, *inst.operands[1:]]
            joined.add(before.result_id)
    if joined:
        _remove_unused(module, joined)
    return bool(joined)


def _remove_unused(module: Module, candidates: set[int]) -> None:
    unused = set(candidates)
    for function in module.functions:
        for inst in function.instructions():
            unused.difference_update(inst.operands)  # literals only retain more
    if not unused:
        return
    for function in module.functions:
        for block in function.blocks:
            block.instructions = [inst for inst in block.instructions if inst.result_id not in unused]
    module.names = [inst for inst in module.names if not _is_about(inst, unused)]
    module.annotations = [inst for inst in module.annotations if not _is_about(inst, unused)]


def _is_about(inst: Instruction, numbers: set[int]) -> bool:
    return inst.op in (op.OpName, op.OpDecorate, op.OpDecorateId) and inst.id(0) in numbers
