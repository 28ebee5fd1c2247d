"""Lookup tables of a module: definitions, names, decorations, types and constants, instructions by opcode."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import DECORATES, FIRST_IS_ELEMENT, MEMBER_DECORATES, NUMBERS
from hlsl_tool.spirv.enums import Decoration
from hlsl_tool.spirv.ir import Function, Instruction, Module, Operand

Decorations = dict[int, list[Operand]]
"""Decoration → its operands.  Where a decoration is repeated, the last one."""

_GROUPS = frozenset((op.OpDecorationGroup, op.OpGroupDecorate, op.OpGroupMemberDecorate))
_OF_MEMBER = {
    op.OpDecorate: op.OpMemberDecorate,
    op.OpDecorateId: op.OpMemberDecorateIdEXT,
    op.OpDecorateString: op.OpMemberDecorateString,
}


def ungrouped(annotations: list[Instruction]) -> list[Instruction]:
    """Return the annotations with decoration groups expanded to decorations of their targets.

    Without groups, the same list is returned. Decorations from groups come last.
    """
    if not any(inst.op in _GROUPS for inst in annotations):
        return annotations
    groups = {inst.result_id for inst in annotations if inst.op == op.OpDecorationGroup}
    shared: dict[int, list[Instruction]] = {}
    plain: list[Instruction] = []
    for inst in annotations:
        if inst.op in DECORATES and inst.id(0) in groups:
            shared.setdefault(inst.id(0), []).append(inst)
        elif inst.op not in _GROUPS:
            plain.append(inst)
    for inst in annotations:
        targets = inst.ints()[1:] if inst.op in _GROUPS and inst.operands else []
        for decoration in shared.get(inst.id(0), ()) if targets else ():
            rest = decoration.operands[1:]
            if inst.op == op.OpGroupDecorate:
                plain += [Instruction(decoration.op, 0, 0, [target, *rest]) for target in targets]
            else:
                pairs = zip(targets[::2], targets[1::2], strict=False)
                opcode = _OF_MEMBER[decoration.op]
                plain += [Instruction(opcode, 0, 0, [target, member, *rest]) for target, member in pairs]
    return plain


def literal(decorations: Decorations, decoration: int) -> int | None:
    """Return the number that a decoration has; ``None`` without the decoration."""
    operands = decorations.get(decoration)
    return int(operands[0]) if operands else None


class ModuleIndex:
    """Lookup tables over the instructions of one module.

    A table is built at its first use, and does not follow later changes of the module.
    """

    def __init__(self, module: Module) -> None:
        self.module = module

    # ---- tables

    @cached_property
    def definitions(self) -> dict[int, Instruction]:
        """Result id → instruction, for imports, strings, types, constants and global variables."""
        return self.module.definitions()

    @cached_property
    def names(self) -> dict[int, str]:
        """Id → the text of its ``OpName``."""
        return {inst.id(0): inst.text(1) for inst in self.module.names if inst.op == op.OpName}

    @cached_property
    def member_names(self) -> dict[tuple[int, int], str]:
        """(struct, member) → the text of its ``OpMemberName``."""
        return {(inst.id(0), inst.id(1)): inst.text(2) for inst in self.module.names if inst.op == op.OpMemberName}

    @cached_property
    def strings(self) -> dict[int, str]:
        """Id of an ``OpString`` → its text."""
        return {inst.result_id: inst.text(0) for inst in self.module.sources if inst.op == op.OpString}

    @cached_property
    def sets(self) -> dict[int, str]:
        """Id of an imported set of extended instructions → its name."""
        return {inst.result_id: inst.text(0) for inst in self.module.ext_inst_imports}

    @cached_property
    def annotations(self) -> dict[int, list[Instruction]]:
        """Id → its ``OpDecorate``, ``OpDecorateId`` and ``OpDecorateString``, groups resolved."""
        by_target: dict[int, list[Instruction]] = {}
        for inst in ungrouped(self.module.annotations):
            if inst.op in DECORATES:
                by_target.setdefault(inst.id(0), []).append(inst)
        return by_target

    @cached_property
    def member_annotations(self) -> dict[int, list[Instruction]]:
        """Struct → the decorations of its members (``MEMBER_DECORATES``), groups resolved."""
        by_target: dict[int, list[Instruction]] = {}
        for inst in ungrouped(self.module.annotations):
            if inst.op in MEMBER_DECORATES:
                by_target.setdefault(inst.id(0), []).append(inst)
        return by_target

    @cached_property
    def decorations(self) -> dict[int, Decorations]:
        """Id → decoration → its operands, groups resolved."""
        return {
            target: {inst.id(1): inst.operands[2:] for inst in decorations}
            for target, decorations in self.annotations.items()
        }

    @cached_property
    def member_decorations(self) -> dict[tuple[int, int], Decorations]:
        """(struct, member) → decoration → its operands, groups resolved."""
        by_target: dict[tuple[int, int], Decorations] = {}
        for struct, decorations in self.member_annotations.items():
            for inst in decorations:
                by_target.setdefault((struct, inst.id(1)), {})[inst.id(2)] = inst.operands[3:]
        return by_target

    @cached_property
    def by_opcode(self) -> dict[int, list[Instruction]]:
        """Opcode → its instructions in function blocks, in order; OpLabel is not included."""
        by_opcode: dict[int, list[Instruction]] = {}
        for function in self.module.functions:
            for block in function.blocks:
                for inst in block.instructions:
                    if inst.op in by_opcode:
                        by_opcode[inst.op].append(inst)
                    else:
                        by_opcode[inst.op] = [inst]
        return by_opcode

    def with_opcodes(self, opcodes: Iterable[int]) -> Iterator[Instruction]:
        """Yield the instructions in function blocks that have these opcodes, grouped by opcode."""
        by_opcode = self.by_opcode
        for number in opcodes:
            yield from by_opcode.get(number, ())

    # ---- decorations

    def has_decoration(self, target: int, decoration: int) -> bool:
        return any(inst.operands[1] == decoration for inst in self.annotations.get(target, ()))

    def is_block(self, struct: int) -> bool:
        """Return whether a struct type is decorated ``Block`` or ``BufferBlock``."""
        return self.has_decoration(struct, Decoration.Block) or self.has_decoration(struct, Decoration.BufferBlock)

    # ---- types

    def element(self, inst: Instruction) -> Instruction | None:
        """Return the element type of a vector, array or image, or the pointee of a pointer type.

        The result is ``None`` for other types.
        """
        if inst.op in FIRST_IS_ELEMENT:
            return self.definitions.get(inst.id(0))
        if inst.op == op.OpTypePointer:
            return self.definitions.get(inst.id(1))
        return None

    def pointee(self, variable: Instruction) -> Instruction:
        """Return the type that a variable (or other pointer value) points to."""
        return self.definitions[self.definitions[variable.type_id].id(1)]

    def without_arrays(self, inst: Instruction) -> Instruction:
        """Return the innermost element type of (nested) arrays; other types unchanged."""
        definitions = self.definitions
        while inst.op in (op.OpTypeArray, op.OpTypeRuntimeArray):
            inst = definitions[inst.id(0)]
        return inst

    def contains_width(self, number: int, width: int, *, ints_only: bool = False, behind_pointers: bool = True) -> bool:
        """Return whether a type is, or contains, a number with ``width`` bits.

        ``ints_only`` ignores floats; without ``behind_pointers``, the pointees of pointers are not examined.
        """
        definitions = self.definitions
        seen: set[int] = set()
        todo = [number]
        while todo:
            type_id = todo.pop()
            inst = definitions.get(type_id)
            if inst is None or type_id in seen:
                continue
            seen.add(type_id)
            if inst.op == op.OpTypeInt or (inst.op == op.OpTypeFloat and not ints_only):
                if inst.operands[0] == width:
                    return True
            elif inst.op == op.OpTypeStruct:
                todo += inst.ints()
            elif inst.op == op.OpTypePointer:
                if behind_pointers:
                    todo.append(inst.id(1))
            elif inst.op in FIRST_IS_ELEMENT:
                todo.append(inst.id(0))
        return False

    # ---- values

    def constant(self, number: int) -> int | None:
        """Return the low word of a scalar constant that no specialisation changes; None otherwise."""
        inst = self.definitions.get(number)
        return inst.id(0) if inst is not None and inst.op == op.OpConstant else None

    def default(self, number: int) -> int | None:
        """Return the low word of a scalar constant, or the default of a specialisation constant; None otherwise."""
        inst = self.definitions.get(number)
        return inst.id(0) if inst is not None and inst.op in NUMBERS else None

    def wide_switches(self, function: Function) -> frozenset[int]:
        """Return the labels of a function's blocks whose ``OpSwitch`` has two-word literals."""
        last = {block.label: block.instructions[-1] for block in function.blocks if block.instructions}
        selectors = {inst.id(0) for inst in last.values() if inst.op == op.OpSwitch}
        if not selectors:
            return frozenset()
        types = {inst.result_id: inst.type_id for inst in (*function.parameters, *function.instructions())}
        wide = set()
        for number in selectors:
            type_id = types.get(number)
            if type_id is None and number in self.definitions:
                type_id = self.definitions[number].type_id
            inst = self.definitions.get(type_id or 0)
            if inst is not None and inst.op == op.OpTypeInt and inst.id(0) > 32:
                wide.add(number)
        return frozenset(label for label, inst in last.items() if inst.op == op.OpSwitch and inst.id(0) in wide)
