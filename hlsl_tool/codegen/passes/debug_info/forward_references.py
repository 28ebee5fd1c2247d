"""Give debug instructions with forward references the opcode that allows them.

Before: OpExtInst may name ids defined later (in DXC's modules, a struct's type and its member functions). After: such
instructions of a non-semantic set are OpExtInstWithForwardRefsKHR, and the module then declares
SPV_KHR_relaxed_extended_instruction; all others are plain OpExtInst. OpenCL.DebugInfo.100 is not a non-semantic set: it
lists which of its instructions may refer forward. Newer versions of spirv-opt use OpExtInstWithForwardRefsKHR for both.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import EXT_INSTS
from hlsl_tool.spirv.encode import function_instructions
from hlsl_tool.spirv.ir import Instruction, Module

EXTENSION = "SPV_KHR_relaxed_extended_instruction"


def fixup_ext_inst_forward_refs(module: Module) -> None:
    """Choose between OpExtInst and OpExtInstWithForwardRefsKHR for each extended instruction, in place."""
    non_semantic = {inst.result_id for inst in module.ext_inst_imports if inst.text(0).startswith("NonSemantic.")}
    seen: set[int] = set()
    has_forward = False
    instructions: list[Instruction] = list(module.preamble())
    for function in module.functions:
        instructions += function_instructions(function)
    for inst in instructions:
        if inst.op in EXT_INSTS:
            forward = inst.id(0) in non_semantic and _refers_forward(inst, seen)
            inst.op = op.OpExtInstWithForwardRefsKHR if forward else op.OpExtInst
            has_forward = has_forward or forward
        if inst.result_id:
            seen.add(inst.result_id)
    _declare(module, has_forward)


def _refers_forward(inst: Instruction, seen: set[int]) -> bool:
    return any(isinstance(o, int) and o not in seen and o != inst.result_id for o in inst.operands[2:])


def _declare(module: Module, has_forward: bool) -> None:
    declared = [inst for inst in module.extensions if inst.text(0) == EXTENSION]
    if has_forward and not declared:
        module.extensions.append(Instruction(op.OpExtension, 0, 0, [EXTENSION]))
    elif declared and not has_forward:
        module.extensions = [inst for inst in module.extensions if inst not in declared]
