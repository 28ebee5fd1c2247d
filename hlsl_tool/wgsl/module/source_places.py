"""Describe instructions in errors: their assembly, and their source locations from debug information."""

from __future__ import annotations

from hlsl_tool.spirv import op, shader_debug
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.spirv.text import Disassembler
from hlsl_tool.wgsl.errors import Unsupported, WgslError
from hlsl_tool.wgsl.module.view import View


def moves_line(view: View, inst: Instruction) -> bool:
    """Return whether the instruction changes the current source line."""
    if inst.op in (op.OpLine, op.OpNoLine):
        return True
    if inst.op != op.OpExtInst or view.sets.get(inst.id(0)) != shader_debug.SET:
        return False
    return inst.id(1) in (shader_debug.DebugLine, shader_debug.DebugNoLine)


class Places:
    """Assembly and source locations of instructions, computed when an error needs them."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.module = view.module

    def error(self, problem: Unsupported, inst: Instruction | None, at: Instruction | None = None) -> WgslError:
        """Return the error to raise for a problem with ``inst``; the location falls back to that of ``at``."""
        if inst is None:
            return WgslError(problem.reason)
        line = self._line(inst) or (self._line(at) if at is not None else "")
        inst = self.view.originals.get(inst.result_id, inst)
        element = self.view.elements.get(inst.result_id)
        if element is not None:
            inst = self.view.defs[element.array]
        names = Disassembler(self.module)
        for definition in self.module.globals:
            names.line(definition)
        text = " ".join(names.line(inst).split())
        return WgslError(problem.reason, text, line)

    def _line(self, target: Instruction) -> str:
        """Return ``file:line:column`` from the last OpLine or DebugLine before an instruction; ``""`` without one.

        For a variable it is the one before a use, for a function the first one in it.
        """
        number = self.view.origins.get(target.result_id, target.result_id)
        variable = number if target.op == op.OpVariable else 0
        for function in self.view.functions.values():
            for block in function.blocks:
                place = ""
                for inst in block.instructions:
                    place = self._after(inst, place)
                    if place and function.definition is target:
                        return place
                    if inst is target or (number and inst.result_id == number):
                        return place
                    if place and variable and variable in inst.operands and variable in used_ids(inst):
                        return place
        return ""

    def _after(self, inst: Instruction, place: str) -> str:
        if inst.op == op.OpNoLine:
            return ""
        if inst.op == op.OpLine:
            return f"{self._string(inst.id(0))}:{inst.id(1)}:{inst.id(2)}"
        if inst.op == op.OpExtInst and self.view.sets.get(inst.id(0)) == shader_debug.SET:
            if inst.id(1) == shader_debug.DebugNoLine:
                return ""
            if inst.id(1) == shader_debug.DebugLine:
                source = self.view.defs[inst.id(2)]
                line, column = (self.view.constant(operand) for operand in (inst.id(3), inst.id(5)))
                return f"{self._string(source.id(2))}:{line}:{column}"
        return place

    def _string(self, number: int) -> str:
        inst = self.view.defs.get(number)
        return inst.text(0) if inst is not None and inst.op == op.OpString else ""
