"""Assemble the final module from promoted functions.

Ids are numbered from 1 in the order in which functions use them, followed by those of the other sections. Types,
constants, variables, names and decorations that functions, entry points and execution modes do not use, directly or
indirectly, are removed, also from the interfaces of entry points.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import NUMBERS
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.enums import Decoration, StorageClass
from hlsl_tool.spirv.grammar.tables import PLAIN_IDS, id_flags, plain_ids
from hlsl_tool.spirv.ir import Function, Instruction, Module, Operand

from .function_cache import CacheIds

_STAGE = (StorageClass.Input, StorageClass.Output)


class Assembly:
    """Rewrites the sections of a module; ``ids`` maps the input module's ids to those of the `FunctionCache`."""

    def __init__(self, module: Module, ids: CacheIds) -> None:
        self.module = module
        self.ids = ids.ids
        self.inlined = ids.inlined
        self.definitions = cast("dict[Operand, Instruction]", ids.types.definitions)
        self.decorations = cast("dict[Operand, list[Instruction]]", ids.cache.decorations)
        self.final: dict[Operand, int] = {0: 0}
        """FunctionCache id → id in the end."""

    def run(self, functions: list[Function], *, keep_interface: bool, keep_bindings: bool) -> None:
        """Replace the module's functions, and rewrite its other sections to match them.

        ``keep_interface`` retains unused stage variables, ``keep_bindings`` unused resources.
        """
        module, final, definitions = self.module, self.final, self.definitions
        for function in functions:
            self._rewrite(function)
        local = [number for number in final if number not in definitions]
        decorations = [(final[n], inst) for n in local for inst in self.decorations.get(n, ())]
        decorated = [(number, _with(inst, self._id)) for number, inst in decorations]
        module.entry_points = self._entry_points(functions, keep_interface, keep_bindings)
        module.execution_modes = [self._moved(inst) for inst in module.execution_modes]
        module.ext_inst_imports = [self._moved(inst) for inst in module.ext_inst_imports]
        module.sources = [self._moved(inst) for inst in module.sources]
        annotations = [inst for inst in module.annotations if self.ids.get(inst.operands[0]) in definitions]
        self._reach(annotations)
        module.globals = self._globals()
        module.names = self._staying(module.names)
        module.annotations = self._staying(annotations)
        for number, inst in decorated:
            inst.operands[0] = number
            module.annotations.append(inst)
        module.functions = functions
        module.bound = len(final)

    def final_id(self, number: int) -> int:
        """Return the id in the end for an id of the input module; 0 if it was removed."""
        return self.final.get(self.ids.get(number, -1), 0)

    def _id(self, number: Operand) -> int:
        """Return the final id for an id of the `FunctionCache`; assign the next free one at the first request."""
        return self.final.setdefault(number, len(self.final))

    def _moved(self, inst: Instruction) -> Instruction:
        """Return a copy of an instruction of the input module with final ids."""
        ids = self.ids
        return _with(inst, lambda number: self._id(ids[number]))

    def _staying(self, section: list[Instruction]) -> list[Instruction]:
        """Return the names or decorations (with final ids) whose targets exist in the final module."""
        ids, final, inlined = self.ids, self.final, self.inlined
        staying = []
        for inst in section:
            number = inst.operands[0]
            if ids.get(number) in final and number not in inlined:
                staying.append(self._moved(inst))
        return staying

    def _rewrite(self, function: Function) -> None:
        """Give a function its final ids, in place; its instructions are not shared with the cache."""
        final, find, plain = self.final, self._id, PLAIN_IDS
        for block in function.blocks:
            block.label = find(block.label)
            for inst in block.instructions:
                opcode, operands = inst.op, inst.operands
                if inst.line is not None:
                    inst.line = (find(inst.line[0]), *inst.line[1:])
                if len(operands) <= plain.get(opcode, -1):
                    inst.operands = [final[x] if x in final else find(x) for x in operands]
                else:
                    flags = id_flags(opcode, operands)
                    inst.operands = [
                        (final[x] if x in final else find(x)) if flag else x
                        for x, flag in zip(operands, flags, strict=True)
                    ]
                    plain_ids(opcode)
                number, type_id = inst.result_id, inst.type_id
                if number:
                    inst.result_id = final[number] if number in final else find(number)
                    inst.type_id = final[type_id] if type_id in final else find(type_id)
        definition = function.definition
        if definition.line is not None:
            definition.line = (find(definition.line[0]), *definition.line[1:])
        definition.operands = _operands(definition, find)
        definition.type_id, definition.result_id = find(definition.type_id), find(definition.result_id)

    def _entry_points(self, functions: list[Function], keep_interface: bool, keep_bindings: bool) -> list[Instruction]:
        ids, final = self.ids, self.final
        bound = [
            inst.operands[0]
            for inst in self.module.annotations
            if keep_bindings and inst.operands[1:2] == [Decoration.Binding]
        ]
        for number in bound:
            self._id(ids[number])
        entry_points = []
        for entry in self.module.entry_points:
            interface: list[Operand] = []
            attributes: list[Operand] = []
            for variable in entry.ints()[3:]:
                number = ids[variable]
                storage = self.definitions[number].operands[0]
                is_kept = storage == StorageClass.Output or (keep_interface and storage in _STAGE)
                if is_kept or number in final:
                    interface.append(self._id(number))
                    if storage == StorageClass.HitAttributeKHR:
                        attributes.append(interface[-1])
            function = self._id(ids[entry.operands[1]])
            if len(attributes) > 1:  # Vulkan allows one
                others = set(attributes) - _used(next(f for f in functions if f.id == function))
                interface = [variable for variable in interface if variable not in others]
            entry_points.append(
                Instruction(entry.op, 0, 0, [entry.operands[0], function, entry.operands[2], *interface])
            )
        return entry_points

    def _reach(self, annotations: list[Instruction]) -> None:
        """Assign final ids to all ids that definitions with a final id use, directly or indirectly."""
        ids, final, definitions = self.ids, self.final, self.definitions
        by_decorations: dict[Operand, list[int]] = {}
        for annotation in annotations:
            if annotation.op == op.OpDecorateId:
                needed = [ids[x] for x in annotation.operands[2:]]
                by_decorations.setdefault(ids[annotation.operands[0]], []).extend(needed)
        todo: list[Operand] = list(final)
        for number in todo:  # the list grows meanwhile
            inst = definitions.get(number)
            if inst is not None:
                for other in (inst.type_id, *used_ids(inst), *by_decorations.get(number, ())):
                    if other not in final:
                        self._id(other)
                        todo.append(other)

    def _globals(self) -> list[Instruction]:
        """Return the module-level definitions: the input's in their order, then new ones.

        Each definition comes after those that it uses.
        """
        ids, final = self.ids, self.final
        written: list[Instruction] = []
        there: set[Operand] = {0}
        for inst in self.module.globals:
            number = ids[inst.result_id or inst.operands[0]]
            if inst.result_id and number in there:  # equal definitions are one
                continue
            if number in final:
                if inst.result_id:  # OpTypeForwardPointer comes before its definition
                    there.add(number)
                written.append(self._moved(inst))

        for reached in list(final):
            self._append(reached, written, there)
        return written

    def _append(self, number: Operand, written: list[Instruction], there: set[Operand]) -> None:
        """Append a definition to ``written``, preceded by those that it uses; skip ids that are in ``there``."""
        inst = self.definitions.get(number)
        if number in there or inst is None or inst.op in (op.OpString, op.OpExtInstImport):
            return
        there.add(number)
        for other in (inst.type_id, *used_ids(inst)):
            self._append(other, written, there)
        written.append(_with(inst, self._id))


def _with(inst: Instruction, find: Callable[[Operand], int]) -> Instruction:
    """Return a copy of an instruction with every id replaced by ``find(id)``."""
    type_id, result_id = find(inst.type_id), find(inst.result_id)
    return Instruction(inst.op, type_id, result_id, _operands(inst, find))


def _operands(inst: Instruction, find: Callable[[Operand], int]) -> list[Operand]:
    operands = inst.operands
    if len(operands) <= plain_ids(inst.op):
        return [find(x) for x in operands]
    if inst.op in NUMBERS:
        return operands
    return [find(x) if flag else x for x, flag in zip(operands, id_flags(inst.op, operands), strict=True)]


def _used(function: Function) -> set[int]:
    """Return the ids that the instructions of a function use."""
    return {operand for inst in function.instructions() for operand in used_ids(inst)}
