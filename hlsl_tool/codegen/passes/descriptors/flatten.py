"""Replace arrays and structs of resources by their elements.

Before: a legalised module without calls.  After: no variable with a binding is an array (with ``arrays``) or a struct
of resources (with ``composites``).  The new variables are named ``a[2]`` and ``s.t``, and their bindings are
consecutive from that of the old one.
"""

from __future__ import annotations

from hlsl_tool.codegen.passes.global_definitions import Globals
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.analysis.uses import rename, uses
from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.spirv.ir import Instruction, Module

from .candidates import bindings_of, is_descriptor_array, is_descriptor_struct, length_of
from .errors import Unflattened
from .variable_index import replace_variable_indices


def flatten_descriptors(module: Module, *, arrays: bool, composites: bool) -> None:
    """Replace arrays or structs of resources by one variable for each element, in place. Raises ``Unflattened``."""
    while True:
        if arrays:
            replace_variable_indices(module)
        index = ModuleIndex(module)
        variables = [
            inst
            for inst in module.globals
            if inst.op == op.OpVariable
            and ((arrays and is_descriptor_array(inst, index)) or (composites and is_descriptor_struct(inst, index)))
        ]
        if not variables:
            return
        _Round(module, index).replace(variables)


class _Round:
    """Replaces variables by their elements at one level of nesting."""

    def __init__(self, module: Module, index: ModuleIndex) -> None:
        self.module = module
        self.index = index
        self.globals = Globals(module)
        self.parts: dict[int, dict[int, int]] = {}
        """Variable → index → the variable of that element."""
        self.substitutes: dict[int, int] = {}
        self.dead: set[int] = set()
        """Results of instructions to remove."""
        self.inserted: dict[int, Instruction] = {}
        """Result of an instruction → an instruction to insert before it."""

    def replace(self, variables: list[Instruction]) -> None:
        """Replace variables by their elements in all uses."""
        places, extracts = self._uses({inst.result_id for inst in variables})
        for variable in variables:
            number = variable.result_id
            self.parts[number] = {}
            for use in places[number]:
                if use.op in ACCESS_CHAINS and use.id(0) == number and len(use.operands) > 1:
                    self._chain(variable, use)
                elif use.op == op.OpLoad:
                    self._load(variable, use, extracts.get(use.result_id, []))
                else:
                    raise Unflattened(self._name(number), "it is used as a whole")
        self._entry_points()
        self._sweep()

    def _name(self, number: int) -> str:
        return self.index.names.get(number, f"%{number}")

    def _uses(self, variables: set[int]) -> tuple[dict[int, list[Instruction]], dict[int, list[Instruction]]]:
        """Return (uses of each variable, uses of each value loaded from one), each use list in code order."""
        direct: dict[int, list[Instruction]] = {number: [] for number in variables}
        values: dict[int, list[Instruction]] = {}
        for function in self.module.functions:
            for inst in function.instructions():
                for operand in inst.operands:
                    if operand in direct and isinstance(operand, int) and uses(inst, (operand,)):
                        direct[operand].append(inst)
                        if inst.op == op.OpLoad:
                            values[inst.result_id] = []
                    elif operand in values and isinstance(operand, int) and uses(inst, (operand,)):
                        values[operand].append(inst)
        return direct, values

    def _chain(self, variable: Instruction, use: Instruction) -> None:
        index = self.index.constant(use.id(1))
        if index is None:
            raise Unflattened(self._name(variable.result_id), "its index is not known at compile time")
        part = self._part(variable, index)
        if len(use.operands) == 2:
            self.substitutes[use.result_id] = part
            self.dead.add(use.result_id)
        else:
            use.operands = [part, *use.operands[2:]]

    def _load(self, variable: Instruction, use: Instruction, extracts: list[Instruction]) -> None:
        for extract in extracts:
            if extract.op != op.OpCompositeExtract:
                raise Unflattened(self._name(variable.result_id), "it is copied as a whole")
            index, *rest = extract.ints()[1:]
            part = self._part(variable, index)
            if rest:
                whole = self.index.pointee(variable)
                element = whole.id(0) if whole.op == op.OpTypeArray else whole.id(index)
                load = Instruction(op.OpLoad, element, self.globals.take_id(), [part])
                self.inserted[extract.result_id] = load
                extract.operands = [load.result_id, *rest]
                continue
            extract.op, extract.operands = op.OpLoad, [part]
        self.dead.add(use.result_id)

    def _part(self, variable: Instruction, index: int) -> int:
        """Return the variable that replaces the element at ``index``; create it at the first request."""
        number = variable.result_id
        existing = self.parts[number].get(index)
        if existing is not None:
            return existing
        storage = variable.id(0)
        if index >= length_of(variable, self.index):
            raise Unflattened(self._name(number), f"there is no element {index}")
        whole = self.index.pointee(variable)
        is_array = whole.op == op.OpTypeArray
        element = whole.id(0) if is_array else whole.id(index)
        part = self.globals.take_id()
        self.module.globals.append(Instruction(op.OpVariable, self.globals.pointer(storage, element), part, [storage]))
        before = (
            index * bindings_of(element, self.index)
            if is_array
            else sum(bindings_of(member, self.index) for member in whole.ints()[:index])
        )
        for inst in self.index.annotations.get(number, ()):
            operands = [part, *inst.operands[1:]]
            if inst.operands[1] == Decoration.Binding:
                operands[2] = inst.id(2) + before
            self.module.annotations.append(Instruction(inst.op, 0, 0, operands))
        if not is_array:
            for inst in self.index.member_annotations.get(whole.result_id, ()):
                if inst.id(1) == index and inst.op == op.OpMemberDecorate:
                    self.module.annotations.append(Instruction(op.OpDecorate, 0, 0, [part, *inst.operands[2:]]))
        if number in self.index.names:
            member = self.index.member_names.get((whole.result_id, index), str(index))
            name = self.index.names[number] + (f"[{index}]" if is_array else f".{member}")
            self.index.names[part] = name
            self.module.names.append(Instruction(op.OpName, 0, 0, [part, name]))
        self.parts[number][index] = part
        return part

    def _entry_points(self) -> None:
        for entry in self.module.entry_points:
            remaining = [operand for operand in entry.operands[3:] if operand not in self.parts]
            if len(remaining) != len(entry.operands) - 3:
                added = [
                    part
                    for operand in entry.operands[3:]
                    if isinstance(operand, int)
                    for part in self.parts.get(operand, {}).values()
                ]
                entry.operands[3:] = [*remaining, *added]

    def _sweep(self) -> None:
        """Remove the replaced variables and instructions, and insert the new ones."""
        module, gone, by = self.module, set(self.parts) | self.dead, self.substitutes
        module.globals = [inst for inst in module.globals if inst.result_id not in self.parts]
        module.names = [inst for inst in module.names if inst.id(0) not in gone]
        module.annotations = [inst for inst in module.annotations if inst.id(0) not in gone]
        for function in module.functions:
            for block in function.blocks:
                block.instructions = [
                    emitted
                    for inst in block.instructions
                    if inst.result_id not in self.dead
                    for emitted in (self.inserted.get(inst.result_id), inst)
                    if emitted is not None
                ]
                for inst in block.instructions:
                    rename(inst, by)
