"""Merge types that are declared twice, and remove repeated decorations.

Before: inline SPIR-V may declare a type that the module already has, and spirv-opt's loop unrolling may have decorated
a value twice. After: each type except structs, arrays and pointers is declared only once, as SPIR-V requires; all uses
refer to the first declaration. No annotation is repeated.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.uses import rename
from hlsl_tool.spirv.ir import Instruction, Module, Operand

_MAY_BE_EQUAL = frozenset((op.OpTypeStruct, op.OpTypeArray, op.OpTypeRuntimeArray, op.OpTypePointer))


def merge_equal_types(module: Module, types: frozenset[int]) -> None:
    """Merge equal type declarations, in place; ``types`` are the opcodes of the types that inline SPIR-V declares."""
    first: dict[tuple[Operand, ...], int] = {}
    merged: dict[int, int] = {}
    for inst in module.globals:
        _rename(inst, merged)
        if inst.op not in types or inst.op in _MAY_BE_EQUAL:
            continue
        key = (inst.op, *inst.operands)
        if key in first:
            merged[inst.result_id] = first[key]
        else:
            first[key] = inst.result_id
    if not merged:
        return
    module.globals = [inst for inst in module.globals if inst.result_id not in merged]
    for section in (module.names, module.annotations):
        section[:] = [inst for inst in section if inst.operands[0] not in merged]
    for function in module.functions:
        for inst in (function.definition, *function.parameters, *function.instructions()):
            _rename(inst, merged)


def merge_equal_decorations(module: Module) -> None:
    """Keep the first of equal annotations, in place."""
    first = {(inst.op, inst.result_id, *inst.operands): inst for inst in reversed(module.annotations)}
    if len(first) != len(module.annotations):
        kept = {id(inst) for inst in first.values()}
        module.annotations = [inst for inst in module.annotations if id(inst) in kept]


def _rename(inst: Instruction, merged: dict[int, int]) -> None:
    inst.type_id = merged.get(inst.type_id, inst.type_id)
    rename(inst, merged)
