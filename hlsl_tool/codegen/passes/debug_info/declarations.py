"""Remove each DebugDeclare that does not name a variable, and each DebugValue that reads an undefined pointer.

Before: any module. After: every DebugDeclare names an OpVariable or OpFunctionParameter, as both instruction sets for
debug information require; those of OpenCL.DebugInfo.100 name the complete variable. Inlining replaces a parameter by
the argument, which may be an array element or a struct member: a debugger cannot show the parameter then. Newer
versions of spirv-opt write the variable and the indices of the element, for which only NonSemantic.Shader.DebugInfo.100
has operands.

A DebugValue reads a pointer if its expression dereferences it. Where spirv-opt has removed the variable, the pointer is
undefined, and RenderDoc ends when it reads it.
"""

from __future__ import annotations

from hlsl_tool.spirv import op, opencl_debug
from hlsl_tool.spirv.analysis.kinds import DEBUG_SETS
from hlsl_tool.spirv.ir import Instruction, Module

_WITHOUT_INDICES = 5
"""Operands of a DebugDeclare: the set, the number, the local variable, the variable in memory, the expression."""


def drop_debug_declarations(module: Module) -> None:
    """Remove each DebugDeclare and DebugValue without a variable or value, in place."""
    sets = {inst.result_id: inst.text(0) for inst in module.ext_inst_imports}
    if DEBUG_SETS.isdisjoint(sets.values()):
        return
    variables = {inst.result_id for inst in module.globals if inst.op == op.OpVariable}
    for function in module.functions:
        variables.update(inst.result_id for inst in function.parameters)
        variables.update(inst.result_id for inst in function.instructions() if inst.op == op.OpVariable)

    pointers = {inst.result_id for inst in module.globals if inst.op == op.OpTypePointer}
    lost = {inst.result_id for inst in module.globals if inst.op == op.OpUndef and inst.type_id in pointers}

    def stays(inst: Instruction) -> bool:
        if inst.op != op.OpExtInst or inst.id(1) not in (opencl_debug.DebugDeclare, opencl_debug.DebugValue):
            return True
        if inst.id(1) == opencl_debug.DebugValue:
            return sets[inst.id(0)] not in DEBUG_SETS or inst.id(3) not in lost
        set_name = sets[inst.id(0)]
        if set_name == opencl_debug.SET and len(inst.operands) > _WITHOUT_INDICES:
            return False
        return set_name not in DEBUG_SETS or inst.id(3) in variables

    for function in module.functions:
        for block in function.blocks:
            block.instructions = [inst for inst in block.instructions if stays(inst)]
