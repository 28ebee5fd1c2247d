"""Restore interface variables that the optimiser has removed (-fspv-preserve-interface).

Before: ``module`` is ``original`` after optimisation. After: every Input and Output variable that an entry point of
``original`` lists exists in ``module`` again, with its type, names and decorations, and the entry point lists it in the
old order. Code is not changed: an unused input costs nothing, and an output without stores is undefined.
"""

from __future__ import annotations

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import NUMBERS
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.enums import StorageClass
from hlsl_tool.spirv.grammar.tables import id_flags
from hlsl_tool.spirv.ir import Instruction, Module, Operand

Key = tuple[object, ...]


def restore_interface(module: Module, original: Module) -> None:
    """Restore the interface variables of ``original`` that optimisation has removed from ``module``, in place."""
    restorer = _Restorer(module, original)
    olds = {_entry_key(inst): inst for inst in original.entry_points}
    for entry in module.entry_points:
        old = olds.get(_entry_key(entry))
        if old is not None:
            restorer.entry(entry, old)
    restorer.finish()


def _entry_key(inst: Instruction) -> Key:
    return inst.operands[0], inst.operands[2]


def _signature(index: ModuleIndex, variable: int) -> Key:
    """Return a key for finding a variable in the other module: its storage class, name and decorations."""
    decorations = sorted(
        repr(inst.operands[1:]) for inst in index.annotations.get(variable, ()) if inst.op != op.OpDecorateId
    )
    return (index.definitions[variable].operands[0], index.names.get(variable), *decorations)


class _Restorer:
    """Copies definitions from the original to the module."""

    def __init__(self, module: Module, original: Module) -> None:
        self.module = module
        self.original = original
        self.index = ModuleIndex(module)
        self.old_index = ModuleIndex(original)
        self.old = self.old_index.definitions
        self.new = self.index.definitions
        self.ids: dict[int, int] = {}
        """Id of the original → id of the module, for definitions that are copied or equal."""
        self.types: dict[Key, int] = {}
        for inst in module.globals:
            if inst.op not in (op.OpTypeStruct, op.OpVariable):
                self.types.setdefault((inst.op, inst.type_id, *inst.operands), inst.result_id)
        self.added: list[Instruction] = []

    def entry(self, entry: Instruction, old: Instruction) -> None:
        """Add the removed interface variables to one entry point."""
        present: dict[Key, list[int]] = {}
        for variable in entry.operands[3:]:
            assert isinstance(variable, int)
            present.setdefault(_signature(self.index, variable), []).append(variable)
        interface: list[Operand] = []
        for variable in old.operands[3:]:
            assert isinstance(variable, int)
            matches = present.get(_signature(self.old_index, variable))
            if matches:
                interface.append(matches.pop(0))
            elif self.old[variable].operands[0] in (StorageClass.Input, StorageClass.Output):
                interface.append(self.copy(variable))
        rest = [variable for variables in present.values() for variable in variables]
        entry.operands[3:] = [*interface, *rest]

    def copy(self, number: int) -> int:
        """Return the id of a definition of the original in the module.

        Copy the definition if the module has no equal one.
        """
        copied = self.ids.get(number)
        if copied is not None:
            return copied
        inst = self.old[number]
        type_id = self.copy(inst.type_id) if inst.type_id else 0
        literal = inst.op in NUMBERS
        flags = (False,) * len(inst.operands) if literal else id_flags(inst.op, inst.operands)
        operands: list[Operand] = [
            self.copy(operand) if flag and isinstance(operand, int) else operand
            for operand, flag in zip(inst.operands, flags, strict=True)
        ]
        key = (inst.op, type_id, *operands)
        existing = self.types.get(key)
        if existing is not None:
            self.ids[number] = existing
            return existing
        copy = self.ids[number] = self.module.take_id()
        self.added.append(Instruction(inst.op, type_id, copy, operands))
        if inst.op not in (op.OpTypeStruct, op.OpVariable):
            self.types[key] = copy
        return copy

    def finish(self) -> None:
        """Add the copied definitions to the module, with their names and decorations."""
        copy = {number: new for number, new in self.ids.items() if new not in self.new}
        for source, target in (
            (self.original.names, self.module.names),
            (self.original.annotations, self.module.annotations),
        ):
            for inst in source:
                new = copy.get(inst.id(0))
                if new is not None:
                    target.append(Instruction(inst.op, 0, 0, [new, *inst.operands[1:]]))
        self.module.globals += self.added
