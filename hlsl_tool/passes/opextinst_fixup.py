"""Debug instructions that refer forward get the opcode that may.

Before: non-semantic OpExtInst may name ids defined later (a struct's type and its member functions name each other).
After: those are OpExtInstWithForwardRefsKHR, and the module declares SPV_KHR_relaxed_extended_instruction if there are
any; such an instruction without forward references is a plain OpExtInst.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.encode import function_instructions
from hlsl_tool.spirv.ir import Instruction, Module

EXTENSION = "SPV_KHR_relaxed_extended_instruction"

_EITHER = frozenset((op.OpExtInst, op.OpExtInstWithForwardRefsKHR))


def fixup_ext_inst_forward_refs(module: Module) -> None:
    """See above; works in place."""
    non_semantic = {
        inst.result_id for inst in module.ext_inst_imports if inst.text(0).startswith("NonSemantic.")
    }
    if not non_semantic:
        return
    seen: set[int] = set()
    changed = False
    instructions: list[Instruction] = list(module.preamble())
    for function in module.functions:
        instructions += function_instructions(function)
    for inst in instructions:
        if inst.op in _EITHER and inst.id(0) in non_semantic:
            forward = any(isinstance(o, int) and o not in seen and o != inst.result_id for o in inst.operands[2:])
            inst.op = op.OpExtInstWithForwardRefsKHR if forward else op.OpExtInst
            changed = changed or forward
        if inst.result_id:
            seen.add(inst.result_id)
    declared = any(inst.text(0) == EXTENSION for inst in module.extensions)
    if changed and not declared:
        module.extensions.append(Instruction(op.OpExtension, 0, 0, [EXTENSION]))
