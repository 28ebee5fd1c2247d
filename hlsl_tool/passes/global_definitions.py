"""Constants and types that a pass needs, found in a module or added to it."""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.ir import Instruction, Module, Operand


def order_definitions(module: Module) -> None:
    """Move module-level definitions in front of their first use; the order stays as it is otherwise."""
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
    """The module-level definitions by what they say."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.known: dict[tuple[object, ...], int] = {}
        self.constants: set[int] = set()
        """The ids of OpConstant."""
        for inst in module.globals:
            if inst.op == op.OpConstant:
                self.constants.add(inst.result_id)
            if inst.op not in (op.OpVariable, op.OpTypeStruct):
                self.known.setdefault((inst.op, inst.type_id, *inst.operands), inst.result_id)

    def take_id(self) -> int:
        """A new id."""
        self.module.bound += 1
        return self.module.bound - 1

    def find(self, opcode: int, type_id: int, *operands: Operand) -> int:
        """The id of a type or constant."""
        key = (opcode, type_id, *operands)
        known = self.known.get(key)
        if known is None:
            known = self.known[key] = self.take_id()
            self.module.globals.append(Instruction(opcode, type_id, known, list(operands)))
            if opcode == op.OpConstant:
                self.constants.add(known)
        return known

    def uint(self, value: int) -> int:
        """An unsigned constant of 32 bits."""
        return self.find(op.OpConstant, self.find(op.OpTypeInt, 0, 32, 0), value)

    def pointer(self, storage: int, pointee: int) -> int:
        """A pointer type."""
        return self.find(op.OpTypePointer, 0, storage, pointee)

    def null(self, type_id: int) -> int:
        """The zero of a type."""
        return self.find(op.OpConstantNull, type_id)
