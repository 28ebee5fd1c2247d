"""Renumber ids from 1 in the order of their first mention, so that modules can be compared.

Before: any module.  After: the same module with the lowest possible ``bound``.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.encode import function_instructions
from hlsl_tool.spirv.grammar.tables import ext_inst_flags, id_flags, plain_ids
from hlsl_tool.spirv.ir import Instruction, Module


def compact_ids(module: Module) -> None:
    """Renumber the ids of a module in place, in the order of their first mention."""
    numbers: dict[int, int] = {}
    sets = {inst.result_id: inst.text(0) for inst in module.ext_inst_imports}
    widths = {inst.result_id: inst.id(0) for inst in module.globals if inst.op == op.OpTypeInt}
    types_of: dict[int, int] = {}

    def renumber(number: int) -> int:
        return numbers.setdefault(number, len(numbers) + 1)

    def rewrite(inst: Instruction) -> None:
        operands = inst.operands
        opcode = inst.op
        if inst.result_id:
            types_of[inst.result_id] = inst.type_id
            if inst.type_id:
                inst.type_id = renumber(inst.type_id)
            inst.result_id = renumber(inst.result_id)
        if len(operands) <= plain_ids(opcode):
            inst.operands = [numbers.get(x) or renumber(x) for x in inst.ints()]
            return
        if opcode == op.OpExtInst:
            flags = ext_inst_flags(sets.get(inst.id(0), ""), operands)
        elif opcode == op.OpSwitch:
            flags = id_flags(opcode, operands, 2 if widths.get(types_of.get(inst.id(0), 0), 32) > 32 else 1)
        elif opcode in (op.OpConstant, op.OpSpecConstant):
            return
        else:
            flags = id_flags(opcode, operands)
        inst.operands = [
            renumber(operand) if flag and isinstance(operand, int) else operand
            for operand, flag in zip(operands, flags, strict=True)
        ]

    for inst in module.preamble():
        rewrite(inst)
    for function in module.functions:
        for inst in function_instructions(function):
            if inst.op == op.OpLabel:
                renumber(inst.result_id)
            else:
                rewrite(inst)
        for block in function.blocks:
            block.label = renumber(block.label)
    for inst in module.trailing:
        rewrite(inst)
    module.bound = len(numbers) + 1
