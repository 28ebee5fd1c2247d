"""Bitcasts of pointers into byte-address buffers: accesses of a type other than ``uint``.

The operand of such a bitcast is an access chain with a last index that counts scalars of the size of the largest one in
the new type. The bitcasts are not valid SPIR-V; ``untyped_pointers`` and ``typed_views`` replace them.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.analysis.uses import renamed_operands
from hlsl_tool.spirv.enums import StorageClass
from hlsl_tool.spirv.ir import Instruction, Module

_BUFFERS = (StorageClass.Uniform, StorageClass.StorageBuffer)


@dataclass(slots=True)
class Access:
    """A bitcast of a pointer, with the variable that the pointer points into and its indices."""

    bitcast: Instruction
    variable: int
    indices: list[int]


def typed_accesses(module: Module, index: ModuleIndex) -> list[Access]:
    """Return the bitcasts of pointers into buffers that are variables."""
    pointers = {inst.result_id for inst in module.globals if inst.op == op.OpTypePointer and inst.id(0) in _BUFFERS}
    if not any(inst.type_id in pointers for inst in index.with_opcodes((op.OpBitcast,))):
        return []
    variables = {inst.result_id for inst in module.globals if inst.op == op.OpVariable}
    accesses: list[Access] = []
    for function in module.functions:
        chains: dict[int, Instruction] = {}
        for inst in function.instructions():
            if inst.op in ACCESS_CHAINS or inst.op == op.OpCopyObject:
                chains[inst.result_id] = inst
            elif inst.op == op.OpBitcast and inst.type_id in pointers:
                source, indices = _trace(inst.id(0), chains)
                if source in variables:
                    accesses.append(Access(inst, source, indices))
    return accesses


def _trace(pointer: int, chains: dict[int, Instruction]) -> tuple[int, list[int]]:
    """Return (variable or value that a chain of access chains starts at, all indices from there)."""
    indices: list[int] = []
    while pointer in chains:
        chain = chains[pointer]
        indices = [*chain.ints()[1:], *indices]
        pointer = chain.id(0)
    return pointer, indices


def replace_casts(module: Module) -> bool:
    """Replace all bitcasts of pointers by variables, in place; return whether there were any.

    The accesses lose their meaning, but everything else of a library can be validated: in a library the pointers may
    start at parameters, and only after the link they are known.
    """
    classes = {inst.result_id: inst.id(0) for inst in module.globals if inst.op == op.OpTypePointer}
    variables: dict[int, int] = {}
    renamed: dict[int, int] = {}
    for function in module.functions:
        for block in function.blocks:
            casts = [inst for inst in block.instructions if inst.op == op.OpBitcast and inst.type_id in classes]
            for inst in casts:
                if inst.type_id not in variables:
                    variables[inst.type_id] = module.take_id()
                renamed[inst.result_id] = variables[inst.type_id]
            if casts:
                block.instructions = [inst for inst in block.instructions if inst.result_id not in renamed]
    for function in module.functions if renamed else ():
        for inst in function.instructions():
            if inst.op != op.OpSwitch and not renamed.keys().isdisjoint(inst.operands):
                inst.operands = renamed_operands(inst, renamed)
    for t, number in variables.items():
        module.globals.append(Instruction(op.OpVariable, t, number, [classes[t]]))
    if module.version_tuple >= _LISTS_ALL:
        for entry in module.entry_points:
            entry.operands += variables.values()
    module.names = [inst for inst in module.names if inst.operands[0] not in renamed]
    module.annotations = [inst for inst in module.annotations if inst.operands[0] not in renamed]
    return bool(renamed)


_LISTS_ALL = (1, 4)
"""The version from which on entry points list all their variables."""


def remove_unused_chains(module: Module) -> None:
    """Remove access chains that have become unused, with their decorations."""
    while True:
        used = set(used_operands(module))
        unused = {
            inst.result_id
            for function in module.functions
            for inst in function.instructions()
            if inst.op in ACCESS_CHAINS and inst.result_id not in used
        }
        if not unused:
            return
        for function in module.functions:
            for block in function.blocks:
                block.instructions = [inst for inst in block.instructions if inst.result_id not in unused]
        module.names = [inst for inst in module.names if inst.operands[0] not in unused]
        module.annotations = [inst for inst in module.annotations if inst.operands[0] not in unused]


def used_operands(module: Module) -> Iterator[int]:
    """Yield all operands, including literals, of instructions in functions."""
    for function in module.functions:
        for inst in function.instructions():
            yield from (operand for operand in inst.operands if isinstance(operand, int))
