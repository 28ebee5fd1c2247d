"""Compute signed remainders by division, which Vulkan defines for negative numbers (-fexact-remainder).

Before: ``OpSRem``, whose result is undefined in Vulkan if an operand is negative (*Precision and Operation of SPIR-V
Instructions*); drivers differ. After: ``a - a / b * b``, with the sign of ``a`` as in HLSL.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction, Module


def compute_remainders_exactly(module: Module) -> None:
    """Replace each ``OpSRem`` by a division, a multiplication and a subtraction, in place."""
    for function in module.functions:
        for block in function.blocks:
            if any(inst.op == op.OpSRem for inst in block.instructions):
                block.instructions = [emitted for inst in block.instructions for emitted in _exact(module, inst)]


def _exact(module: Module, inst: Instruction) -> list[Instruction]:
    if inst.op != op.OpSRem:
        return [inst]
    a, b = inst.operands
    quotient = Instruction(op.OpSDiv, inst.type_id, module.bound, [a, b])
    product = Instruction(op.OpIMul, inst.type_id, module.bound + 1, [quotient.result_id, b])
    module.bound += 2
    return [quotient, product, Instruction(op.OpISub, inst.type_id, inst.result_id, [a, product.result_id])]
