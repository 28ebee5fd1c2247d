"""Preserve scopes, source ranges and local variables during promotion.

Before: a module with NonSemantic.Shader.DebugInfo.100 or OpenCL.DebugInfo.100. The instructions of the latter have the
same numbers, but it uses OpLine, and its operands that are not ids are literals.

`detach` removes the debug instructions. Each instruction gets the index of its `Position` instead, which inlining
extends by the call, and DebugDeclare becomes a marker. During promotion, ``debug_marks`` adds a marker for each value
of a declared variable. A marker keeps nothing alive: it is dropped with its value. `Attacher` writes the debug
instructions of the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from hlsl_tool.codegen.passes.promote.promoted_body import DECLARED, MARKERS
from hlsl_tool.spirv import op, opencl_debug, shader_debug
from hlsl_tool.spirv.analysis.cfg import dominators, predecessors_of, reverse_postorder, successors_by_label
from hlsl_tool.spirv.analysis.kinds import DEBUG_SETS, EXT_INSTS, MERGES
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.grammar.tables import ext_inst_flags
from hlsl_tool.spirv.ir import Block, Function, Instruction, Module, Operand

_HEAD = (op.OpPhi, op.OpVariable)
"""Instructions that must begin a block."""
_OPEN = frozenset((shader_debug.DebugScope, shader_debug.DebugNoScope))
_LINES = frozenset((shader_debug.DebugLine, shader_debug.DebugNoLine))
_SCOPE_OF_LOCAL = 7
"""The operand of DebugLocalVariable that names its scope."""
_LINE_OPCODES = (op.OpLine, op.OpNoLine)


class Position(NamedTuple):
    """Where an instruction comes from; the ids are those of the input module."""

    source: tuple[int, ...]
    """The operands of OpLine, or those of DebugLine after its number; empty without a line."""
    scope: int
    """The id of the scope; 0 without one."""
    inlined: int
    """The index of the inlined call; -1 in a function that is not inlined."""


class Site(NamedTuple):
    """An inlined call: one DebugInlinedAt."""

    line: int
    """The line of the call, or the id of its constant."""
    scope: int
    inlined: int
    """The index of the call that contains this one; -1 without one."""


class DebugPositions:
    """The positions, calls and declarations of one module, which instructions refer to by index."""

    def __init__(self) -> None:
        self.positions: list[Position] = []
        self.sites: list[Site] = []
        self.declarations: list[tuple[int, int]] = []
        """(local variable, expression) of each DebugDeclare."""
        self._keys: dict[Position, int] = {}

    def key(self, position: Position) -> int:
        """Return the index of a position; add it if it is new."""
        number = self._keys.get(position)
        if number is None:
            number = self._keys[position] = len(self.positions)
            self.positions.append(position)
        return number

    def mover(self, call: tuple[int, ...] | None) -> Callable[[tuple[int, ...] | None], tuple[int, ...] | None]:
        """Return a function that maps the lines of a callee's instructions to those of one inlined copy.

        ``call`` is the line of the call. Without a scope, or without a line, it is no DebugInlinedAt.
        """
        at = self.positions[call[1]] if call is not None else None
        if at is None or not at.scope or not at.source:
            return lambda line: line
        outer = Site(at.source[1], at.scope, at.inlined)
        sites: dict[int, int] = {}
        moved: dict[int, int] = {}

        def site(inner: int) -> int:
            if inner not in sites:
                new = outer if inner < 0 else self.sites[inner]._replace(inlined=site(self.sites[inner].inlined))
                sites[inner] = len(self.sites)
                self.sites.append(new)
            return sites[inner]

        def move(line: tuple[int, ...] | None) -> tuple[int, ...] | None:
            if line is None:
                return None
            key = moved.get(line[1])
            if key is None:
                position = self.positions[line[1]]
                if position.scope:
                    position = position._replace(inlined=site(position.inlined))
                key = moved[line[1]] = self.key(position)
            return (0, key, *line[2:])

        return move


class _Detacher:
    """Removes the debug instructions of a module's functions."""

    def __init__(self, module: Module, table: DebugPositions) -> None:
        self.set_id = debug_set(module)
        self.table = table
        self.scopes = {
            inst.result_id: inst.id(_SCOPE_OF_LOCAL)
            for inst in module.globals
            if _is_debug(inst, self.set_id) and inst.operands[1] == shader_debug.DebugLocalVariable
        }
        """Local variable → its scope."""

    def function(self, function: Function) -> None:
        """Remove the debug instructions; move the declarations among the parameters into the first block."""
        among_parameters = [inst for _, inst in function.header]
        function.prelude, function.header, function.epilogue = [], [], []
        for block in function.blocks:
            block.prelude, before_label = [], block.prelude
            block.instructions = self._positioned(block.instructions)
            if block is function.blocks[0]:
                at = next(i for i, inst in enumerate(block.instructions) if inst.op != op.OpVariable)
                block.instructions[at:at] = self._positioned([*among_parameters, *before_label])

    def _positioned(self, instructions: list[Instruction]) -> list[Instruction]:
        out: list[Instruction] = []
        source: tuple[int, ...] = ()
        scope = 0
        for inst in instructions:
            number = inst.id(1) if inst.op in EXT_INSTS and inst.operands[0] == self.set_id else -1
            if number in _LINES:
                source = tuple(inst.ints()[2:]) if number == shader_debug.DebugLine else ()
            elif number in _OPEN:
                scope = inst.id(2) if number == shader_debug.DebugScope else 0
            elif inst.op in _LINE_OPCODES:
                source = tuple(inst.ints())
            elif number < 0 or number == shader_debug.DebugDeclare:
                if number >= 0:
                    inst = self._declaration(inst, source, scope)
                else:
                    inst.line = (0, self.table.key(Position(source, scope, -1)))
                out.append(inst)
        return out

    def _declaration(self, inst: Instruction, source: tuple[int, ...], scope: int) -> Instruction:
        position = Position(source, scope or self.scopes[inst.id(2)], -1)
        line = (0, self.table.key(position), len(self.table.declarations))
        self.table.declarations.append((inst.id(2), inst.id(4)))
        return Instruction(DECLARED, 0, 0, [inst.id(3)], line)


def detach(module: Module) -> DebugPositions:
    """Remove the debug instructions from the functions and globals, in place; return what the instructions refer to."""
    table = DebugPositions()
    detacher = _Detacher(module, table)
    for function in module.functions:
        detacher.function(function)
    module.globals = [
        inst for inst in module.globals if inst.op not in _LINE_OPCODES and not _is_debug(inst, detacher.set_id)
    ]
    module.trailing = []
    return table


def debug_set(module: Module) -> int:
    """Return the id of the import of the instruction set for debug information; 0 if there is none."""
    return next((i.result_id for i in module.ext_inst_imports if i.text(0) in DEBUG_SETS), 0)


def _is_debug(inst: Instruction, set_id: int) -> bool:
    return inst.op in EXT_INSTS and inst.operands[0] == set_id


# ---- writing


class Attacher:
    """Writes the debug instructions of a promoted module."""

    def __init__(self, module: Module, before: Module, final: Callable[[int], int], table: DebugPositions) -> None:
        self.module = module
        self.before = before
        self.final = final
        """Returns the id in the result for an id of the input module; 0 if it was removed."""
        self.table = table
        self.old_set = debug_set(before)
        self.set_id = final(self.old_set)
        self.definitions = before.definitions()
        self.set_name = self.definitions[self.old_set].text(0)
        self.ids: dict[int, int] = {}
        self.sites: dict[int, int] = {}
        self.indices: dict[int, int] = {}
        self.none = 0
        self.void = next((i.result_id for i in before.globals if i.op == op.OpTypeVoid), 0)
        self.globals: list[Instruction] = []

    def run(self) -> None:
        """Add the debug instructions of the module level and of all functions."""
        debug = [inst for inst in self.before.globals if _is_debug(inst, self.old_set)]
        self.ids = {inst.result_id: self.module.take_id() for inst in debug}
        self.none = next((self.ids[i.result_id] for i in debug if i.operands[1] == shader_debug.DebugInfoNone), 0)
        for inst in sorted(debug, key=lambda inst: inst.operands[1] != shader_debug.DebugInfoNone):
            self._append(inst)  # DebugInfoNone comes first: it can be used instead of anything that was removed
        entries = {self.final(f.id): f for f in self.before.functions}
        for function in self.module.functions:
            self._function(function, entries[function.id])
        self.module.globals += self.globals

    def _append(self, inst: Instruction) -> None:
        """Copy a module-level debug instruction, after the definitions that it uses."""
        flags = ext_inst_flags(self.set_name, inst.operands)
        operands: list[Operand] = [self._id(x) if flag else x for x, flag in zip(inst.ints(), flags, strict=True)]
        self.globals.append(Instruction(inst.op, self._id(inst.type_id), self.ids[inst.result_id], operands))

    def _id(self, number: int) -> int:
        """Return the id in the result; copy a definition that promotion has removed."""
        if number in self.ids:
            return self.ids[number]
        new = self.final(number)
        inst = self.definitions.get(number)
        if not new and (inst is None or inst.op == op.OpVariable):
            new = self._nothing()
        elif not new and inst is not None:
            used = set(used_ids(inst))
            new = self.ids[number] = self.module.take_id()
            operands = [self._id(x) if isinstance(x, int) and x in used else x for x in inst.operands]
            copy = Instruction(inst.op, self._id(inst.type_id) if inst.type_id else 0, new, operands)
            (self.module.sources if inst.op == op.OpString else self.globals).append(copy)
        self.ids[number] = new
        return new

    def _nothing(self) -> int:
        if not self.none:
            self.none = self._extended(self.globals, shader_debug.DebugInfoNone)
        return self.none

    def _extended(self, out: list[Instruction], number: int, *operands: int) -> int:
        new = self.module.take_id()
        out.append(Instruction(op.OpExtInst, self._id(self.void), new, [self.set_id, number, *operands]))
        return new

    def _function(self, function: Function, source: Function) -> None:
        following = successors_by_label(function.blocks)
        order = reverse_postorder(function.blocks[0].label, following)
        parents = dominators(order, predecessors_of(following))
        places = {
            inst.result_id: (block.label, at)
            for block in function.blocks
            for at, inst in enumerate(block.instructions)
            if inst.result_id
        }

        def reaches(number: int, block: Block, at: int) -> bool:
            """Return whether a value is defined at a position."""
            place = places.get(number)
            if place is None:
                return True
            if place[0] == block.label:
                return place[1] < at
            label = block.label
            while label in parents and parents[label] != label and label != place[0]:
                label = parents[label]
            return label == place[0]

        for block in function.blocks:
            self._block(block, reaches)
        head = function.blocks[0].instructions
        at = next(i for i, inst in enumerate(head) if inst.op != op.OpVariable)
        head[at:at] = self._definitions(source)

    def _definitions(self, source: Function) -> list[Instruction]:
        """Return the scope and the DebugFunctionDefinition of an entry point's own function."""
        out: list[Instruction] = []
        for inst in source.instructions():
            if _is_debug(inst, self.old_set) and inst.operands[1] == shader_debug.DebugFunctionDefinition:
                self._extended(out, shader_debug.DebugScope, self._id(inst.id(2)))
                self._extended(out, shader_debug.DebugFunctionDefinition, self._id(inst.id(2)), self.final(inst.id(3)))
        return out

    def _block(self, block: Block, reaches: Callable[[int, Block, int], bool]) -> None:
        out: list[Instruction] = []
        last = Position((), 0, -1)
        for at, inst in enumerate(block.instructions):
            is_marker = inst.op in MARKERS
            if is_marker and not reaches(inst.id(0), block, at):
                continue
            is_merged = bool(out) and out[-1].op in MERGES
            if inst.line is not None and inst.op not in _HEAD and not is_merged:
                position = self.table.positions[inst.line[1]]
                if is_marker:
                    position = position._replace(source=last.source)
                self._move(out, last, position)
                last = position
            if not is_marker:
                inst.line = None
                out.append(inst)
            elif last.scope and inst.line is not None:
                self._mark(out, inst, inst.line)
        block.instructions = out

    def _mark(self, out: list[Instruction], inst: Instruction, line: tuple[int, ...]) -> None:
        local, expression = self.table.declarations[line[2]]
        number = shader_debug.DebugDeclare if inst.op == DECLARED else shader_debug.DebugValue
        indices = [self._index(step) for step in line[3:]]
        self._extended(out, number, self._id(local), inst.id(0), self._id(expression), *indices)

    def _index(self, value: int) -> int:
        """Return the id of an integer constant."""
        if value not in self.indices:
            module_level = (*self.module.globals, *self.globals)
            integer = next((i.result_id for i in module_level if i.op == op.OpTypeInt and i.operands == [32, 0]), 0)
            there = [
                i for i in module_level if i.op == op.OpConstant and i.type_id == integer and i.operands == [value]
            ]
            new = there[0].result_id if there else self.module.take_id()
            if not there:
                self.globals.append(Instruction(op.OpConstant, integer, new, [value]))
            self.indices[value] = new
        return self.indices[value]

    def _move(self, out: list[Instruction], last: Position, new: Position) -> None:
        """Write the instructions that change the scope and the line."""
        if (last.scope, last.inlined) != (new.scope, new.inlined):
            if new.scope:
                inlined = [self._site(new.inlined)] if new.inlined >= 0 else []
                self._extended(out, shader_debug.DebugScope, self._id(new.scope), *inlined)
            else:
                self._extended(out, shader_debug.DebugNoScope)
        if last.source != new.source and self.set_name == opencl_debug.SET:
            line = Instruction(op.OpLine, 0, 0, [self._id(new.source[0]), *new.source[1:]]) if new.source else None
            out.append(line or Instruction(op.OpNoLine, 0, 0, []))
        elif last.source != new.source:
            number = shader_debug.DebugLine if new.source else shader_debug.DebugNoLine
            self._extended(out, number, *(self._id(x) for x in new.source))

    def _site(self, index: int) -> int:
        """Return the id of the DebugInlinedAt of an inlined call."""
        if index not in self.sites:
            site = self.table.sites[index]
            outer = [self._site(site.inlined)] if site.inlined >= 0 else []
            line = site.line if self.set_name == opencl_debug.SET else self._id(site.line)
            operands = [line, self._id(site.scope), *outer]
            self.sites[index] = self._extended(self.globals, shader_debug.DebugInlinedAt, *operands)
        return self.sites[index]


def has_scopes(module: Module) -> bool:
    """Return whether a module has scopes, of one instruction set for debug information."""
    return sum(inst.text(0) in DEBUG_SETS for inst in module.ext_inst_imports) == 1
