"""Give the instructions of a module the ids of the joined module."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.spirv import op, opencl_debug
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.grammar.tables import ext_inst_flags, id_flags
from hlsl_tool.spirv.ir import Block, Function, Instruction, Operand


class Renaming:
    """The ids of one module → those of the joined module."""

    def __init__(self, index: ModuleIndex, base: int) -> None:
        """``base`` is the largest id that the joined module has so far."""
        self.index = index
        self.ids = {number: base + number for number in range(1, index.module.bound)}
        self._opencl = next((number for number, name in index.sets.items() if name == opencl_debug.SET), 0)
        """The set of debug instructions of OpenCL, whose operands may be literals; 0 without it."""

    def __getitem__(self, number: int) -> int:
        return self.ids.get(number, 0)

    def _flags(self, inst: Instruction, words: int = 1) -> Sequence[bool]:
        """Return for each operand whether it is an id."""
        if self._opencl and inst.op == op.OpExtInst and inst.operands[0] == self._opencl:
            return ext_inst_flags(opencl_debug.SET, inst.operands)
        return id_flags(inst.op, inst.operands, words)

    def used(self, inst: Instruction) -> list[int]:
        """Return the ids among an instruction's operands."""
        pairs = zip(inst.operands, self._flags(inst), strict=True)
        return [operand for operand, flag in pairs if flag and isinstance(operand, int)]

    def operands(self, inst: Instruction, words: int = 1) -> list[Operand]:
        """Return the operands with new ids; ``words`` is the size of the literals of an ``OpSwitch``."""
        pairs = zip(inst.operands, self._flags(inst, words), strict=True)
        return [self[operand] if flag and isinstance(operand, int) else operand for operand, flag in pairs]

    def instruction(self, inst: Instruction, words: int = 1) -> Instruction:
        """Return a copy of an instruction with new ids."""
        return Instruction(inst.op, self[inst.type_id], self[inst.result_id], self.operands(inst, words))

    def function(self, function: Function) -> Function:
        """Return a copy of a function with new ids."""
        wide, rename = self.index.wide_switches(function), self.instruction
        return Function(
            rename(function.definition),
            [rename(inst) for inst in function.parameters],
            [
                Block(
                    self[block.label],
                    [rename(inst, 2 if block.label in wide else 1) for inst in block.instructions],
                    [rename(inst) for inst in block.prelude],
                )
                for block in function.blocks
            ],
            [rename(inst) for inst in function.prelude],
            [(before, rename(inst)) for before, inst in function.header],
            [rename(inst) for inst in function.epilogue],
        )
