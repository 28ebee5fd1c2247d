"""Read NonSemantic.Shader.DebugInfo.100 like a debugger, which is stricter than the validator.

The rules are those of RenderDoc: a reader that walks the module once and stores tables of what it has seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from hlsl_tool.spirv import op, shader_debug
from hlsl_tool.spirv.analysis.kinds import EXT_INSTS
from hlsl_tool.spirv.ir import Instruction, Module

SCOPES = frozenset(
    (
        shader_debug.DebugCompilationUnit,
        shader_debug.DebugFunction,
        shader_debug.DebugLexicalBlock,
        shader_debug.DebugTypeComposite,
    )
)
_PARENT = {
    shader_debug.DebugFunction: 5,
    shader_debug.DebugLexicalBlock: 3,
    shader_debug.DebugTypeComposite: 5,
    shader_debug.DebugLocalVariable: 5,
    shader_debug.DebugGlobalVariable: 5,
}
"""Number of an instruction → the operand that names its scope."""
_SOURCE = {
    shader_debug.DebugCompilationUnit: 2,
    shader_debug.DebugFunction: 2,
    shader_debug.DebugLexicalBlock: 0,
    shader_debug.DebugTypeComposite: 2,
    shader_debug.DebugTypeMember: 2,
    shader_debug.DebugLocalVariable: 2,
    shader_debug.DebugGlobalVariable: 2,
    shader_debug.DebugLine: 0,
}
_NUMBERS = {
    shader_debug.DebugTypeBasic: (1, 2),
    shader_debug.DebugTypeVector: (1,),
    shader_debug.DebugTypeMatrix: (1, 2),
    shader_debug.DebugTypeMember: (3, 4, 5, 6),
    shader_debug.DebugTypeComposite: (1, 3, 4),
    shader_debug.DebugFunction: (3, 4),
    shader_debug.DebugLexicalBlock: (1, 2),
    shader_debug.DebugLocalVariable: (3, 4),
    shader_debug.DebugLine: (1, 2, 3, 4),
}
"""Number of an instruction → the operands that must be constants."""


@dataclass
class Reader:
    """Reads debug information as RenderDoc does: stores declarations and scopes in tables, and collects errors."""

    module: Module
    complaints: list[str] = field(default_factory=list)
    seen: dict[int, Instruction] = field(default_factory=dict)
    """Debug instructions by their ids."""
    strings: dict[int, str] = field(default_factory=dict)
    constants: dict[int, int] = field(default_factory=dict)
    sources: dict[int, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    """File → its text."""
    definitions: dict[int, int] = field(default_factory=dict)
    """Function → its DebugFunction."""
    declared: set[str] = field(default_factory=set)
    """Names of local variables with a DebugDeclare or DebugValue."""
    entry_points: list[tuple[str, str]] = field(default_factory=list)
    """(name of the function, command line) of each DebugEntryPoint."""
    unscoped: int = 0
    """Instructions without a scope, which have no line for the reader."""
    last_source: str = ""

    def read(self) -> None:
        module = self.module
        self.set = next((i.result_id for i in module.ext_inst_imports if i.text(0) == shader_debug.SET), 0)
        self.strings = {i.result_id: i.text(0) for i in module.sources if i.op == op.OpString}
        self.variables = {i.result_id for i in module.globals if i.op == op.OpVariable}
        for inst in module.globals:
            if inst.op == op.OpConstant:
                self.constants[inst.result_id] = inst.id(0)
            elif self._is_debug(inst):
                self._global(inst)
        for function in module.functions:
            for block in function.blocks:
                self._block(function.id, block.instructions)

    def _is_debug(self, inst: Instruction) -> bool:
        return inst.op in EXT_INSTS and inst.id(0) == self.set

    def _complain(self, inst: Instruction, what: str) -> None:
        self.complaints.append(f"%{inst.result_id} (instruction {inst.id(1)}): {what}")

    def _check(self, inst: Instruction) -> list[int]:
        """Check that the operands refer to declared instructions of the right kind; return them."""
        number, operands = inst.id(1), inst.ints()[2:]
        parent = _PARENT.get(number)
        if parent is not None and self._number(operands[parent]) not in SCOPES:
            self._complain(inst, "its scope is not known yet")
        source = _SOURCE.get(number)
        if source is not None and operands[source] not in self.sources:
            self._complain(inst, "its source is not known yet")
        for at in _NUMBERS.get(number, ()):
            if operands[at] not in self.constants:
                self._complain(inst, f"operand {at} is no constant")
        self.seen[inst.result_id] = inst
        return operands

    def _number(self, debug_id: int) -> int:
        inst = self.seen.get(debug_id)
        return inst.id(1) if inst is not None else -1

    def _global(self, inst: Instruction) -> None:
        operands = self._check(inst)
        number = inst.id(1)
        if number == shader_debug.DebugSource:
            name = self.strings[operands[0]]
            if name in self.texts:
                self._complain(inst, f"a second DebugSource of {name}")
            self.sources[inst.result_id] = self.last_source = name
            self.texts[name] = self.strings[operands[1]] if len(operands) > 1 else ""
        elif number == shader_debug.DebugSourceContinued:
            self.texts[self.last_source] += self.strings[operands[0]]
        elif number == shader_debug.DebugTypeComposite:
            self._members(inst, operands[9:])
        elif number == shader_debug.DebugGlobalVariable:
            none = self._number(operands[7]) == shader_debug.DebugInfoNone
            if not none and operands[7] not in self.variables and operands[7] not in self.constants:
                self._complain(inst, "the variable is no OpVariable")
        elif number == shader_debug.DebugEntryPoint:
            function = self.seen[operands[0]]
            self.entry_points.append((self.strings[function.id(2)], self.strings[operands[3]]))

    def _members(self, inst: Instruction, members: list[int]) -> None:
        """Check that members precede their type, and that they are all fields: the reader ends at others."""
        kinds = [self._number(member) for member in members]
        if any(kind not in (shader_debug.DebugTypeMember, shader_debug.DebugTypeInheritance) for kind in kinds):
            self._complain(inst, "a member is not known yet, or no field")

    def _block(self, function: int, instructions: list[Instruction]) -> None:
        scope = 0
        for inst in instructions:
            if inst.op == op.OpVariable:
                self.variables.add(inst.result_id)
            if not self._is_debug(inst):
                self.unscoped += not scope and inst.op not in (op.OpVariable, op.OpPhi, op.OpNoLine, op.OpLine)
                continue
            operands = self._check(inst)
            number = inst.id(1)
            if number == shader_debug.DebugScope:
                scope = operands[0]
                if self._number(scope) not in SCOPES:
                    self._complain(inst, "the scope is not known")
            elif number == shader_debug.DebugNoScope:
                scope = 0
            elif number == shader_debug.DebugFunctionDefinition:
                self.definitions[operands[1]] = operands[0]
                if operands[1] != function:
                    self._complain(inst, "it names another function")
            elif number in (shader_debug.DebugDeclare, shader_debug.DebugValue):
                self._mapping(inst, operands, scope)

    def _mapping(self, inst: Instruction, operands: list[int], scope: int) -> None:
        """Check a variable's value: it needs an open scope inside the variable's own.

        An expression may only dereference.
        """
        local = self.seen.get(operands[0])
        if local is None:
            self._complain(inst, "the local variable is not known")
            return
        self.declared.add(self.strings[local.id(2)])
        if not scope:
            self._complain(inst, f"no scope is open at the declaration of {self.strings[local.id(2)]}")
        elif local.id(7) not in self._ancestors(scope):
            self._complain(inst, f"{self.strings[local.id(2)]} is declared outside its scope")
        expression = self.seen[operands[2]]
        for operation in expression.ints()[2:]:
            if self.constants.get(self.seen[operation].id(2)) != 0:
                self._complain(inst, "an expression other than a dereference")
        if inst.id(1) == shader_debug.DebugDeclare and operands[1] not in self.variables | self._parameters():
            self._complain(inst, "the declaration names no variable")

    def _parameters(self) -> set[int]:
        return {inst.result_id for function in self.module.functions for inst in function.parameters}

    def _ancestors(self, scope: int) -> Iterator[int]:
        while scope in self.seen:
            yield scope
            inst = self.seen[scope]
            parent = _PARENT.get(inst.id(1))
            scope = inst.id(2 + parent) if parent is not None else 0


def read(module: Module) -> Reader:
    """Read the debug information of a module."""
    reader = Reader(module)
    reader.read()
    return reader
