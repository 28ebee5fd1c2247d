"""Remove DebugDeclare of what is no variable any more.

Before: any module.  After: every DebugDeclare names an OpVariable or an OpFunctionParameter, as both instruction sets
for debug information want it.  Inlining puts the argument in place of a parameter, and that may be an element of an
array or a member of a structure: a debugger cannot show the parameter then.
"""

from __future__ import annotations

from hlsl_tool.spirv import op, opencl_debug, shader_debug
from hlsl_tool.spirv.ir import Instruction, Module

_SETS = frozenset((opencl_debug.SET, shader_debug.SET))


def drop_debug_declarations(module: Module) -> None:
    """See above; works in place."""
    sets = {inst.result_id for inst in module.ext_inst_imports if inst.text(0) in _SETS}
    if not sets:
        return
    variables = {inst.result_id for inst in module.globals if inst.op == op.OpVariable}
    for function in module.functions:
        variables.update(inst.result_id for inst in function.parameters)
        variables.update(inst.result_id for inst in function.instructions() if inst.op == op.OpVariable)

    def stays(inst: Instruction) -> bool:
        return (
            inst.op != op.OpExtInst
            or inst.id(0) not in sets
            or inst.id(1) != opencl_debug.DebugDeclare
            or inst.id(3) in variables
        )

    for function in module.functions:
        for block in function.blocks:
            block.instructions = [inst for inst in block.instructions if stays(inst)]
