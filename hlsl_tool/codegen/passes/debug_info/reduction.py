"""Reduce rich debug information to source lines.

Before: a module with OpenCL.DebugInfo.100 or NonSemantic.Shader.DebugInfo.100. After: of this information only
``OpLine`` remains. Promotion preserves lines, but neither scopes nor variables.
"""

from __future__ import annotations

from hlsl_tool.spirv import op, opencl_debug, shader_debug
from hlsl_tool.spirv.analysis.kinds import DEBUG_SETS, EXT_INSTS
from hlsl_tool.spirv.ir import Instruction, Module


def reduce_to_lines(module: Module) -> None:
    """Replace debug line instructions by ``OpLine`` and remove all other debug instructions, in place."""
    sets = {inst.result_id for inst in module.ext_inst_imports if inst.text(0) in DEBUG_SETS}
    by_range = {inst.result_id for inst in module.ext_inst_imports if inst.text(0) == shader_debug.SET}
    files = {inst.result_id: inst.id(2) for inst in module.globals if _is(inst, sets, opencl_debug.DebugSource)}
    numbers = {inst.result_id: inst.id(0) for inst in module.globals if inst.op == op.OpConstant}
    removed = {inst.result_id for inst in module.globals if _is(inst, sets)}
    module.globals = [inst for inst in module.globals if not _is(inst, sets)]
    for function in module.functions:
        function.prelude, function.header, function.epilogue = [], [], []
        for block in function.blocks:
            block.prelude = []
            instructions: list[Instruction] = []
            for inst in block.instructions:
                if _is(inst, by_range, shader_debug.DebugLine):
                    place = [files[inst.id(2)], numbers[inst.id(3)], numbers[inst.id(5)]]
                    instructions.append(Instruction(op.OpLine, 0, 0, [*place]))
                elif _is(inst, sets):
                    removed.add(inst.result_id)
                else:
                    instructions.append(inst)
            block.instructions = instructions
    module.trailing = []
    module.names = [inst for inst in module.names if inst.operands[0] not in removed]
    module.ext_inst_imports = [inst for inst in module.ext_inst_imports if inst.result_id not in sets]


def _is(inst: Instruction, sets: set[int], number: int | None = None) -> bool:
    """Return whether an instruction is from one of the debug sets, and has this number if one is given."""
    if inst.op not in EXT_INSTS or inst.id(0) not in sets:
        return False
    return number is None or inst.id(1) == number
