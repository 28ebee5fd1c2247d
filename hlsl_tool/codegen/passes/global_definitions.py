"""Look up types and constants of a module by content; add missing ones."""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.ir import Instruction, Module, Operand


def order_definitions(module: Module) -> None:
    """Move module-level definitions before their first use; otherwise keep their order."""
    definitions = {inst.result_id: inst for inst in module.globals if inst.result_id}
    ordered: list[Instruction] = []
    placed: set[int] = set()
    for inst in module.globals:
        todo = [inst]
        while todo:
            current = todo[-1]
            if id(current) in placed:
                todo.pop()
                continue
            ids = (current.type_id, *used_ids(current))
            missing = [definitions[i] for i in ids if i in definitions and id(definitions[i]) not in placed]
            missing = [d for d in missing if d not in todo]  # forward references of pointers and debug information
            if missing:
                todo += missing
                continue
            placed.add(id(current))
            ordered.append(todo.pop())
    module.globals = ordered


class Globals:
    """The types (except structs) and constants of a module, by opcode, type and operands."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.ids: dict[tuple[object, ...], int] = {}
        self.constants: set[int] = set()
        """The ids of ``OpConstant``."""
        for inst in module.globals:
            if inst.op == op.OpConstant:
                self.constants.add(inst.result_id)
            if inst.op not in (op.OpVariable, op.OpTypeStruct):
                self.ids.setdefault((inst.op, inst.type_id, *inst.operands), inst.result_id)

    def take_id(self) -> int:
        return self.module.take_id()

    def find(self, opcode: int, type_id: int, *operands: Operand) -> int:
        """Return the id of a type or constant; append it to the module's globals if it is missing."""
        key = (opcode, type_id, *operands)
        number = self.ids.get(key)
        if number is None:
            number = self.ids[key] = self.take_id()
            self.module.globals.append(Instruction(opcode, type_id, number, list(operands)))
            if opcode == op.OpConstant:
                self.constants.add(number)
        return number

    def uint(self, value: int) -> int:
        """Return the id of a 32-bit unsigned constant."""
        return self.find(op.OpConstant, self.find(op.OpTypeInt, 0, 32, 0), value)

    def pointer(self, storage: int, pointee: int) -> int:
        return self.find(op.OpTypePointer, 0, storage, pointee)

    def null(self, type_id: int) -> int:
        """Return the id of a type's null constant."""
        return self.find(op.OpConstantNull, type_id)
