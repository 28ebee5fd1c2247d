"""Add definitions to a module: types, constants, variables, inputs of entry points."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import Decoration, StorageClass
from hlsl_tool.spirv.grammar.tables import enum_name
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.module.view import View

_TYPES = frozenset(
    (op.OpTypeBool, op.OpTypeInt, op.OpTypeFloat, op.OpTypeVector, op.OpTypePointer, op.OpTypeArray, op.OpTypeFunction)
)


class Additions:
    """Finds the definitions that a pass needs, or adds them to the module."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.out: list[Instruction] = []
        """The instructions of the block that is rewritten."""
        self.types: dict[tuple[int, tuple[int, ...]], int] = {}
        for inst in view.module.globals:
            if inst.op in _TYPES:
                self.types.setdefault((inst.op, tuple(inst.ints())), inst.result_id)
        self.uint = self.type(op.OpTypeInt, 32, 0)
        self.constants: dict[int, int] = {}
        for inst in view.module.globals:
            if inst.op == op.OpConstant and inst.type_id == self.uint:
                self.constants.setdefault(inst.id(0), inst.result_id)

    def add(self, opcode: int, type_id: int, *operands: int) -> int:
        """Add a global definition and return its id."""
        inst = Instruction(opcode, type_id, self.view.fresh(), [*operands])
        self.view.module.globals.append(inst)
        return self.view.add(inst)

    def type(self, opcode: int, *operands: int) -> int:
        key = opcode, operands
        if key not in self.types:
            self.types[key] = self.add(opcode, 0, *operands)
        return self.types[key]

    def pointer(self, storage: int, type_id: int) -> int:
        return self.type(op.OpTypePointer, storage, type_id)

    def constant(self, value: int) -> int:
        """Return the id of a `uint` constant."""
        if value not in self.constants:
            self.constants[value] = self.add(op.OpConstant, self.uint, value)
        return self.constants[value]

    def emit(self, opcode: int, type_id: int, *operands: int, instead: Instruction | None = None) -> int:
        """Emit an instruction and return its result; it replaces ``instead`` by taking over its result id."""
        number = instead.result_id if instead is not None else self.view.fresh()
        inst = Instruction(opcode, type_id, number, [*operands])
        self.out.append(inst)
        return self.view.add(inst)

    def built_in(self, entries: Sequence[Instruction], built_in: int, type_id: int) -> int:
        """Return the input variable with a built-in value, and add it to the interfaces of all these entry points.

        Raises `Unsupported` if they have different variables for it.
        """
        view = self.view
        present = [
            inst.result_id
            for inst in view.module.globals
            if inst.op == op.OpVariable
            and inst.id(0) == StorageClass.Input
            and view.literal(inst.result_id, Decoration.BuiltIn) == built_in
        ]
        own = [number for number in present if any(number in entry.operands[3:] for entry in entries)]
        if len(own) > 1:
            name = enum_name("BuiltIn", built_in)
            raise Unsupported(f"entry points with a {name} of their own share a function that needs it", own[1])
        variable = next(iter(own or present), 0)
        if not variable:
            variable = self.add(op.OpVariable, self.pointer(StorageClass.Input, type_id), StorageClass.Input)
            view.decorations[variable] = {Decoration.BuiltIn: [built_in]}
        for entry in entries:
            if variable not in entry.operands[3:]:
                entry.operands.append(variable)
        return variable
