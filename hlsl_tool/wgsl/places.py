"""Where an instruction comes from: its assembly, and the source line that debug information gives."""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction, Module
from hlsl_tool.spirv.text import Disassembler

from .errors import Unsupported, WgslError


class Places:
    """Texts and places for errors, worked out when they are needed."""

    def __init__(self, module: Module) -> None:
        self.module = module

    def error(self, problem: Unsupported, inst: Instruction | None) -> WgslError:
        """The error that a user sees."""
        if inst is None:
            return WgslError(problem.reason)
        names = Disassembler(self.module)
        for definition in self.module.globals:
            names.line(definition)
        text = " ".join(names.line(inst).split())
        return WgslError(problem.reason, text, self._line(inst))

    def _line(self, wanted: Instruction) -> str:
        """``file:line:column`` of the last OpLine before the instruction."""
        for function in self.module.functions:
            for block in function.blocks:
                place = ""
                for inst in block.instructions:
                    place = self._after(inst, place)
                    if inst is wanted or (inst.result_id and inst.result_id == wanted.result_id):
                        return place
        return ""

    def _after(self, inst: Instruction, place: str) -> str:
        if inst.op == op.OpNoLine:
            return ""
        if inst.op != op.OpLine:
            return place
        file = next((s.text(0) for s in self.module.sources if s.result_id == inst.id(0)), "")
        return f"{file}:{inst.id(1)}:{inst.id(2)}"
