"""Replace constant indices before the beginning of an array.

Before: optimisation has computed a constant index that is negative, as in ``int i = A - 4; values[i]``. SPIR-V forbids
it even where the access is never executed. After: the index is 0, the nearest element.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.ir import Instruction, Module

_CHAINS = frozenset((op.OpAccessChain, op.OpInBoundsAccessChain))


def negative_constants(module: Module) -> dict[int, Instruction]:
    """Return the negative integer constants: id → instruction."""
    widths = {inst.result_id: inst.id(0) for inst in module.globals if inst.op == op.OpTypeInt and inst.id(1)}
    """Signed type → its number of bits."""
    return {
        inst.result_id: inst
        for inst in module.globals
        if inst.op == op.OpConstant
        and inst.type_id in widths
        and inst.id(-1) >> (max(widths[inst.type_id], 32) - 1) % 32
    }


def move_indices_inside(module: Module, index: ModuleIndex) -> bool:
    """Replace negative constant indices of access chains by 0, in place; return whether there were any."""
    negative = negative_constants(module)
    zeros: dict[int, int] = {}
    for chain in index.with_opcodes(_CHAINS):
        for at, operand in enumerate(chain.ints()[1:], 1):
            constant = negative.get(operand)
            if constant is None:
                continue
            if constant.type_id not in zeros:
                zeros[constant.type_id] = _zero_like(module, constant)
            chain.operands[at] = zeros[constant.type_id]
    return bool(zeros)


def _zero_like(module: Module, constant: Instruction) -> int:
    """Return the id of a constant 0 of the same type; declare it before ``constant`` if there is none."""
    zero: list[int | str] = [0] * len(constant.operands)
    for inst in module.globals:
        if inst.op == op.OpConstant and inst.type_id == constant.type_id and inst.operands == zero:
            return inst.result_id
    inst = Instruction(op.OpConstant, constant.type_id, module.bound, zero)
    module.bound += 1
    module.globals.insert(module.globals.index(constant), inst)
    return inst.result_id
