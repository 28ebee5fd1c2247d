"""Read the debug information of a program: the scope of each instruction, and the variables that it declares.

This is NonSemantic.Shader.DebugInfo.100 or OpenCL.DebugInfo.100, which number their instructions alike; the first one
has ids of constants where the second one has numbers.  Modules without them have the names of ``OpName`` only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.interpreter import Program
from hlsl_tool.spirv import op, opencl_debug, shader_debug
from hlsl_tool.spirv.analysis.cfg import dominators, merge_of, predecessors_of, reverse_postorder, successors_by_label
from hlsl_tool.spirv.analysis.kinds import EXT_INSTS
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.enums import StorageClass
from hlsl_tool.spirv.ir import Block, Function, Instruction

WRAPPER = "__dxc_setup"
"""The name of the function in debug information that stands for the wrapper of the entry point."""


@dataclass(slots=True)
class Site:
    """The scope of an instruction."""

    function: int
    order: int
    """The number of the instruction in its function."""
    label: int
    scope: int = 0
    """The id of a function or lexical block; 0 without debug information."""
    inlined: int = 0
    """The id of the ``DebugInlinedAt``; 0 for code that is not inlined."""
    depth: int = 0
    """The number of calls that were inlined around the instruction."""


@dataclass(slots=True)
class Assignment:
    """A ``DebugDeclare`` or ``DebugValue``: where a variable, or a part of it, is from an instruction on."""

    variable: int
    value: int
    """The id of the pointer to the variable, or of its value."""
    is_pointer: bool
    indices: tuple[int, ...]
    """The part of the variable; empty for all of it."""
    site: Site


@dataclass(slots=True)
class Local:
    """A local variable or parameter."""

    name: str
    type: int
    """The id of its type in the debug information; 0 for none."""
    argument: int
    """The number of a parameter, from 1 on; 0 for local variables."""
    parts: list[Assignment]
    """What it consists of: one pointer or value, or the values of its parts."""


@dataclass(slots=True)
class Inlined:
    """A function in which an instruction is, with those that were inlined."""

    name: str
    scope: int
    inlined: int
    line: int
    """The line of the call; 0 for the innermost function, whose line is that of the instruction."""
    file: str = ""


@dataclass(slots=True)
class _Declarations:
    """The assignments of a function, and the dominators of its blocks."""

    assignments: list[Assignment] = field(default_factory=list)
    dominator: dict[int, int] = field(default_factory=dict)

    def dominates(self, label: int, other: int) -> bool:
        """Return whether each way to ``other`` leads through ``label``."""
        while other != label:
            above = self.dominator.get(other, other)
            if above == other:
                return False
            other = above
        return True


class DebugInfo:
    """The debug information of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.index = program.index
        sets = self.index.sets.items()
        numbers = [number for number, name in sets if name in (shader_debug.SET, opencl_debug.SET)]
        self.set = numbers[0] if numbers else 0
        self.has_ids = self.index.sets.get(self.set) == shader_debug.SET
        """Whether numbers are ids of constants."""
        self.sites: dict[int, Site] = {}
        """``id()`` of an instruction → its site."""
        self._joins: set[int] = set()
        """``id()`` of the branches at the ends of the parts of an ``if``: they have the line of its last part."""
        self._functions: dict[int, _Declarations] = {}
        self._calls: dict[int, tuple[int, ...]] = {0: (0,)}
        reachable = program.context.functions
        for function in program.module.functions:
            if function.id in reachable:
                self._read(function)
        names = {self.index.names.get(number, "") for number in reachable}
        self._wrappers = {n for n in reachable if f"src.{self.index.names.get(n, '')}" in names}
        self.unpassed = {number for n in self._wrappers for number in self._unpassed(n)}
        """Parameters of entry points that get no value, as the shader does not use them."""
        self.globals = {
            self._id(inst, 7): self._id(inst, 1)
            for inst in self.index.definitions.values()
            if self._kind(inst) == shader_debug.DebugGlobalVariable
        }
        """Global variable → its type in the debug information."""

    # ---- instructions

    def _kind(self, inst: Instruction | None) -> int:
        """Return the number of an instruction of debug information; -1 for others."""
        if inst is None or inst.op not in EXT_INSTS or inst.operands[0] != self.set:
            return -1
        return inst.id(1)

    def _id(self, inst: Instruction, number: int) -> int:
        """Return an operand of an instruction of debug information; 0 if it is missing."""
        return inst.id(number + 2) if number + 2 < len(inst.operands) else 0

    def kind_of(self, number: int) -> int:
        """Return the number of the instruction of debug information with this id; -1 for other ids."""
        return self._kind(self.index.definitions.get(number))

    def operand(self, number: int, operand: int) -> int:
        """Return an operand of the instruction of debug information with this id; 0 if it is missing."""
        inst = self.index.definitions.get(number)
        return self._id(inst, operand) if inst is not None else 0

    def operands(self, number: int) -> list[int]:
        """Return all operands of the instruction of debug information with this id."""
        return self.index.definitions[number].ints()[2:]

    def text(self, number: int, operand: int = 0) -> str:
        """Return an operand of an instruction of debug information that is a string."""
        return self.index.strings.get(self.operand(number, operand), "")

    def constant(self, number: int, operand: int) -> int:
        """Return an operand of an instruction of debug information that is a number."""
        word = self.operand(number, operand)
        return self.program.context.constant(word) or 0 if self.has_ids else word

    def length(self, number: int) -> int:
        """Return the number of elements of an array, or of components of a vector; the former are ids in both sets."""
        is_array = self.kind_of(number) == shader_debug.DebugTypeArray
        return self.program.context.constant(self.operand(number, 1)) or 0 if is_array else self.constant(number, 1)

    # ---- functions

    def _unpassed(self, wrapper: int) -> Iterator[int]:
        """Yield the parameters for which a wrapper passes a variable that it neither writes nor reads."""
        function = next(f for f in self.program.module.functions if f.id == wrapper)
        uses = Counter(number for inst in function.instructions() for number in used_ids(inst))
        for inst in function.instructions():
            callee = self.program.context.functions.get(inst.id(0)) if inst.op == op.OpFunctionCall else None
            if callee is not None and callee.name.startswith("src."):
                pairs = zip(callee.parameters, inst.ints()[1:], strict=True)
                yield from (parameter for parameter, variable in pairs if uses[variable] == 1)

    def _read(self, function: Function) -> None:
        declarations = self._functions[function.id] = _Declarations()
        following = successors_by_label(function.blocks, self.index.wide_switches(function))
        order = reverse_postorder(function.blocks[0].label, following)
        declarations.dominator = dominators(order, predecessors_of(following))
        merges = {merge.id(0) for block in function.blocks if (merge := _merge_of_if(block)) is not None}
        ends = (block.instructions[-1] for block in function.blocks)
        self._joins |= {id(end) for end in ends if end.op == op.OpBranch and end.id(0) in merges}
        number = 0
        for block in function.blocks:
            scope = inlined = 0
            for inst in (*block.prelude, *block.instructions):
                number += 1
                kind = self._kind(inst)
                if kind == shader_debug.DebugScope:
                    scope, inlined = self._id(inst, 0), self._id(inst, 1)
                elif kind == shader_debug.DebugNoScope:
                    scope = inlined = 0
                site = Site(function.id, number, block.label, scope, inlined, len(self.calls(inlined)) - 1)
                self.sites[id(inst)] = site
                if kind in (shader_debug.DebugDeclare, shader_debug.DebugValue):
                    constant = self.program.context.constant
                    indices = tuple(constant(word) or 0 for word in inst.ints()[5:])
                    is_pointer = kind == shader_debug.DebugDeclare
                    part = Assignment(self._id(inst, 0), self._id(inst, 1), is_pointer, indices, site)
                    declarations.assignments.append(part)

    def calls(self, inlined: int) -> tuple[int, ...]:
        """Return the ``DebugInlinedAt`` of the calls around an instruction, the outermost first, behind a 0."""
        calls = self._calls.get(inlined)
        if calls is None:
            calls = self._calls[inlined] = (*self.calls(self.operand(inlined, 2)), inlined)
        return calls

    def is_statement(self, inst: Instruction) -> bool:
        """Return whether a line can start at an instruction."""
        return id(inst) not in self._joins and not self.is_hidden(inst)

    def is_hidden(self, inst: Instruction) -> bool:
        """Return whether an instruction is in no function of the HLSL, but in the wrapper of the entry point."""
        site = self.sites.get(id(inst))
        if site is None:
            return False
        if site.scope:
            return self.text(self.function_of(site.scope)) == WRAPPER
        return site.function in self._wrappers

    def function_of(self, scope: int) -> int:
        """Return the ``DebugFunction`` that contains a scope."""
        return self._chain(scope)[-1] if scope else 0

    def _chain(self, scope: int) -> list[int]:
        """Return a scope and those around it, up to its function."""
        chain = [scope]
        while self.kind_of(scope) in (shader_debug.DebugLexicalBlock, shader_debug.DebugLexicalBlockDiscriminator):
            scope = self.operand(scope, 3)
            chain.append(scope)
        return chain

    def file_of(self, scope: int) -> str:
        """Return the name of the file in which a function or lexical block is."""
        operand = 2 if self.kind_of(scope) == shader_debug.DebugFunction else 0
        return self.text(self.operand(scope, operand))

    def functions_at(self, inst: Instruction) -> list[Inlined]:
        """Return the function of an instruction and those into which it was inlined, the innermost first.

        The wrapper of the entry point is left out.
        """
        site = self.sites[id(inst)]
        if not site.scope:
            name = self.index.names.get(site.function, f"{site.function}").removeprefix("src.")
            return [] if site.function in self._wrappers else [Inlined(name, 0, 0, 0)]
        out = []
        scope, inlined, line, file = site.scope, site.inlined, 0, ""
        while True:
            name = self.text(self.function_of(scope))
            if name != WRAPPER:
                out.append(Inlined(name, scope, inlined, line, file))
            if not inlined:
                return out
            line, scope = self.constant(inlined, 0), self.operand(inlined, 1)
            file = self.file_of(scope)
            inlined = self.operand(inlined, 2)

    # ---- variables

    def assignments(self, function: int) -> list[Assignment]:
        """Return what the debug information of a function says of variables."""
        return self._functions[function].assignments

    def locals_at(self, inst: Instruction, function: Inlined) -> list[Local]:
        """Return the variables that are visible at an instruction, in one of the functions that contain it."""
        site = self.sites[id(inst)]
        if not function.scope:
            return self._named(site)
        declarations = self._functions[site.function]
        scopes = {scope: depth for depth, scope in enumerate(self._chain(function.scope))}
        inner: dict[str, tuple[int, int]] = {}
        parts: dict[int, list[Assignment]] = {}
        for part in declarations.assignments:
            scope = self.operand(part.variable, 5)
            if scope not in scopes or part.site.inlined != function.inlined:
                continue
            if not self._is_valid(declarations, part, site):
                continue
            name = self.text(part.variable)
            inner[name] = min(inner.get(name, (99, 0)), (scopes[scope], part.variable))
            parts.setdefault(part.variable, []).append(part)
        visible = [variable for _, variable in inner.values()]
        out = [self._local(variable, parts[variable]) for variable in visible]
        return sorted(out, key=lambda local: (local.argument == 0, local.argument))

    def _is_valid(self, declarations: _Declarations, part: Assignment, site: Site) -> bool:
        """Return whether a variable has a value at a site."""
        if part.is_pointer and self.constant(part.variable, 7):
            return True  # a parameter
        if part.site.order > site.order:
            return False
        return part.is_pointer or declarations.dominates(part.site.label, site.label)

    def _local(self, variable: int, parts: Iterable[Assignment]) -> Local:
        """Return a variable with the last values of its parts."""
        last: dict[tuple[int, ...], Assignment] = {}
        for part in sorted(parts, key=lambda item: item.site.order):
            for indices in [old for old in last if old[: len(part.indices)] == part.indices]:
                del last[indices]
            last[part.indices] = part
        name, of = self.text(variable), self.operand(variable, 1)
        return Local(name, of, self.constant(variable, 7), list(last.values()))

    def _named(self, site: Site) -> list[Local]:
        """Return the variables and parameters of a function that have names, for modules without debug information."""
        function = next(f for f in self.program.module.functions if f.id == site.function)
        out: list[Local] = []
        for number, (inst, is_argument) in enumerate(_variables(function), 1):
            name = self.index.names.get(inst.result_id, "")
            if name and not name.startswith("param.var."):
                is_pointer = self.program.context.type_of(inst.result_id).kind == "pointer"
                part = Assignment(0, inst.result_id, is_pointer, (), site)
                out.append(Local(name, 0, number if is_argument else 0, [part]))
        return out


def _merge_of_if(block: Block) -> Instruction | None:
    """Return the merge instruction of the header of an ``if``; ``None`` for other blocks."""
    merge = merge_of(block)
    is_if = merge is not None and merge.op == op.OpSelectionMerge
    return merge if is_if and block.instructions[-1].op == op.OpBranchConditional else None


def _variables(function: Function) -> Iterator[tuple[Instruction, bool]]:
    """Yield the parameters and variables of a function, and whether each is a parameter."""
    for inst in function.parameters:
        yield inst, True
    for inst in function.blocks[0].instructions:
        if inst.op == op.OpVariable and inst.id(0) == StorageClass.Function:
            yield inst, False
