"""Restore the values of local variables that optimisation has removed from rich debug information.

Before: the output of spirv-opt, and the same module inlined and in SSA form, with the ids that spirv-opt preserves. Its
elimination of dead code removes each DebugValue, whether the value is used or not. After: each value of a local
variable that still exists has its DebugValue again, in its scope, after the instruction that it followed. So has the
argument of an inlined call: spirv-opt leaves the DebugDeclare of the parameter, and removes it with the variable. Every
DebugValue and DebugDeclare is within an open scope, without which RenderDoc stops.
"""

from __future__ import annotations

from collections.abc import Iterator

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv import op, opencl_debug, shader_debug
from hlsl_tool.spirv.analysis.cfg import dominators, predecessors_of, reverse_postorder, successors_by_label
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, DEBUG_SETS, EXT_INSTS
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.grammar.tables import ext_inst_flags
from hlsl_tool.spirv.ir import Block, Function, Instruction, Module, Operand

_MAPPINGS = (opencl_debug.DebugDeclare, opencl_debug.DebugValue)
_SCOPES = (opencl_debug.DebugScope, opencl_debug.DebugNoScope)
_LOCAL_SCOPE = 7
"""The operand of DebugLocalVariable that names its scope."""
_FIRST_MEMBER = 11
"""The operand of DebugTypeComposite of OpenCL.DebugInfo.100 that names its first member."""
_COMPOSITES = (op.OpTypeStruct, op.OpTypeArray)
_HEAD = (op.OpPhi, op.OpVariable)
"""Instructions that come before all others of a block."""


@dataclass(slots=True)
class _Place:
    """A position in a block: after the instruction at ``index``; -1 is the block's beginning."""

    block: Block
    index: int


@dataclass(slots=True)
class _Lost:
    """A removed DebugValue whose position in the optimised module is still to be found."""

    mapping: Instruction
    scope: Instruction | None
    anchor: int
    """The result of the instruction before it, or the label of its block."""


@dataclass(slots=True)
class _Restorer:
    module: Module
    before: Module
    set_id: int
    old_set: int
    old_name: str
    """The name of the instruction set ``old_set``."""
    index: ModuleIndex
    """The lookup tables of the module."""
    places: dict[int, _Place] = field(default_factory=dict)
    """Result or label → its position."""
    known: set[int] = field(default_factory=set)
    """Ids that the module level defines."""
    parts: dict[int, int] = field(default_factory=dict)
    added: dict[int, list[tuple[int, _Lost]]] = field(default_factory=dict)
    """Label → (index of an instruction, DebugValue to insert after it)."""

    def run(self) -> None:
        module = self.module
        self.known = {inst.result_id for inst in (*module.ext_inst_imports, *module.sources, *module.globals)}
        old = {f.id: f for f in self.before.functions}
        for function in module.functions:
            if function.id in old and function.blocks:
                self._function(function, old[function.id])

    def _function(self, function: Function, old: Function) -> None:
        self.places = {}
        for block in function.blocks:
            self.places[block.label] = _Place(block, -1)
            for i, inst in enumerate(block.instructions):
                if inst.result_id:
                    self.places[inst.result_id] = _Place(block, i)
        following = successors_by_label(function.blocks, self.index.wide_switches(function))
        order = reverse_postorder(function.blocks[0].label, following)
        parents = dominators(order, predecessors_of(following))
        present = {
            tuple(inst.operands[2:])
            for inst in function.instructions()
            if _is_debug(inst, self.set_id) and inst.operands[1] in _MAPPINGS
        }
        self.added = {}
        self.parts = self._parts(old)
        for lost in self._lost(old):
            if tuple(lost.mapping.operands[2:]) not in present:
                self._place(lost, parents)
        for block in function.blocks:
            self._write(block)

    def _parts(self, function: Function) -> dict[int, int]:
        """Return a mapping from extracted parts of structs and arrays to the values of which these were constructed."""
        composites = {inst.result_id for inst in self.before.globals if inst.op in _COMPOSITES}
        constructs: dict[int, Instruction] = {}
        parts: dict[int, int] = {}
        for inst in function.instructions():
            if inst.op == op.OpCompositeConstruct and inst.type_id in composites:
                constructs[inst.result_id] = inst
            elif inst.op == op.OpCompositeExtract and len(inst.operands) == 2 and inst.id(0) in constructs:
                parts[inst.result_id] = constructs[inst.id(0)].id(inst.id(1))
        return parts

    def _lost(self, function: Function) -> Iterator[_Lost]:
        """Yield each DebugValue with the last instruction before it that still exists in the optimised module.

        The DebugDeclare of a removed variable that is stored to once, before it in its block, counts as one.
        """
        stores = _single_stores(function)
        for block in function.blocks:
            anchor = block.label if block.label in self.places else 0
            scope: Instruction | None = None
            stored: dict[int, int] = {}
            for inst in block.instructions:
                if inst.op == op.OpStore and inst.id(0) in stores:
                    stored[inst.id(0)] = inst.id(1)
                if not _is_debug(inst, self.old_set):
                    if inst.result_id in self.places:
                        anchor = inst.result_id
                elif inst.operands[1] in _SCOPES:
                    scope = inst if inst.operands[1] == opencl_debug.DebugScope else None
                elif inst.operands[1] == opencl_debug.DebugValue:
                    yield _Lost(inst, scope, anchor)
                elif inst.operands[1] == opencl_debug.DebugDeclare and inst.id(3) in stored.keys() - self.places.keys():
                    value: list[Operand] = [inst.id(0), opencl_debug.DebugValue, inst.id(2), stored[inst.id(3)]]
                    mapping = Instruction(inst.op, inst.type_id, inst.result_id, [*value, *inst.operands[4:]])
                    yield _Lost(mapping, scope, anchor)

    def _place(self, lost: _Lost, parents: dict[int, int]) -> None:
        """Find the position of a DebugValue: after the instruction that it followed and after its value's definition.

        A DebugValue without such a position is dropped.
        """
        value = lost.mapping.id(3)
        while value in self.parts and value not in self.places:
            value = self.parts[value]
        if value != lost.mapping.id(3):
            lost.mapping = lost.mapping.copy()
            lost.mapping.operands[3] = value
        anchor = self.places.get(lost.anchor)
        definition = self.places.get(value)
        if definition is None and value not in self.known:
            return
        if anchor is None or (definition is not None and definition.block is anchor.block):
            at = max((p for p in (anchor, definition) if p is not None), key=lambda p: p.index, default=None)
        elif definition is None or _dominates(definition.block.label, anchor.block.label, parents):
            at = anchor
        else:
            at = definition
        if at is None:
            return
        index = at.index
        instructions = at.block.instructions
        while index + 1 < len(instructions) and instructions[index + 1].op in _HEAD:
            index += 1
        self.added.setdefault(at.block.label, []).append((index, lost))

    def _write(self, block: Block) -> None:
        added = self.added.get(block.label)
        if not added:
            return
        behind: dict[int, list[_Lost]] = {}
        for index, lost in added:
            behind.setdefault(index, []).append(lost)
        out: list[Instruction] = []
        scope: Instruction | None = None
        for index in range(-1, len(block.instructions)):
            if index >= 0:
                inst = block.instructions[index]
                out.append(inst)
                if _is_debug(inst, self.set_id) and inst.operands[1] in _SCOPES:
                    scope = inst if inst.operands[1] == opencl_debug.DebugScope else None
            if index in behind:
                out += self._mappings(behind[index], scope)
        block.instructions = out

    def _mappings(self, lost: list[_Lost], scope: Instruction | None) -> Iterator[Instruction]:
        """Yield consecutive DebugValues, each in its scope; at the end, reopen the scope that was open before."""
        current = scope
        for each in lost:
            if each.scope is not None and (current is None or current.operands[2:] != each.scope.operands[2:]):
                current = each.scope
                yield self._copy(current)
            yield self._copy(each.mapping)
        if current is not scope:
            number = opencl_debug.DebugNoScope if scope is None else opencl_debug.DebugScope
            operands = [] if scope is None else scope.operands[2:]
            yield Instruction(op.OpExtInst, self._void(), self.module.take_id(), [self.set_id, number, *operands])

    def _copy(self, inst: Instruction) -> Instruction:
        for number in used_ids(inst)[1:]:
            self._need(number)
        return Instruction(op.OpExtInst, self._void(), self.module.take_id(), [self.set_id, *inst.operands[1:]])

    def _void(self) -> int:
        return next(inst.result_id for inst in self.module.globals if inst.op == op.OpTypeVoid)

    def _need(self, number: int) -> None:
        """Copy a removed definition, and the definitions that it refers to, from the module before optimisation."""
        if number in self.known or number in self.places:
            return
        self.known.add(number)
        for section, other in (
            (self.before.sources, self.module.sources),
            (self.before.globals, self.module.globals),
        ):
            inst = next((inst for inst in section if inst.result_id == number), None)
            if inst is None:
                continue
            copy = inst.copy()
            if _is_debug(inst, self.old_set):
                copy.operands[0] = self.set_id
                copy.type_id = self._void()
            members = self._forward(inst)
            for used in (copy.type_id, *self._ids(inst)):
                if used not in members:
                    self._need(used)
            if copy.op == op.OpString:
                other.insert(sum(i.op == op.OpString for i in other), copy)
            else:
                other.append(copy)
            for member in members:
                self._need(member)

    def _ids(self, inst: Instruction) -> list[int]:
        """Return the ids among the operands; in OpenCL.DebugInfo.100, numbers are literals."""
        if not _is_debug(inst, self.old_set):
            return used_ids(inst)
        flags = ext_inst_flags(self.old_name, inst.operands)
        return [x for x, flag in zip(inst.ints()[1:], flags[1:], strict=True) if flag]

    def _forward(self, inst: Instruction) -> list[int]:
        """Return the members that a type names in advance: in OpenCL.DebugInfo.100, members name the type."""
        if not _is_debug(inst, self.old_set) or inst.operands[1] != opencl_debug.DebugTypeComposite:
            return []
        return inst.ints()[_FIRST_MEMBER:] if self.old_name == opencl_debug.SET else []


def _single_stores(function: Function) -> set[int]:
    """Return the variables of a function that one OpStore writes as a whole, and nothing else changes."""
    counts: dict[int, int] = {inst.result_id: 0 for inst in function.instructions() if inst.op == op.OpVariable}
    roots = {variable: variable for variable in counts}
    for inst in function.instructions():
        if inst.op == op.OpStore and inst.id(0) in counts:
            counts[inst.id(0)] += 1
        elif inst.op in ACCESS_CHAINS and inst.id(0) in roots:
            roots[inst.result_id] = roots[inst.id(0)]
        elif inst.op != op.OpLoad and inst.op not in EXT_INSTS:
            for number in used_ids(inst):
                counts.pop(roots.get(number, 0), None)
    return {variable for variable, count in counts.items() if count == 1}


def _dominates(first: int, second: int, parents: dict[int, int]) -> bool:
    """Return whether block ``first`` dominates ``second``; ``parents`` maps blocks to immediate dominators."""
    while second != first:
        parent = parents.get(second, second)
        if parent == second:
            return False
        second = parent
    return True


def _is_debug(inst: Instruction, set_id: int) -> bool:
    return inst.op in EXT_INSTS and inst.operands[0] == set_id


def _set_of(module: Module) -> int:
    return next((inst.result_id for inst in module.ext_inst_imports if inst.text(0) in DEBUG_SETS), 0)


def restore_debug_values(module: Module, before: Module, index: ModuleIndex | None = None) -> None:
    """Restore the debug values of ``before`` in a module that was optimised from it, in place.

    ``index`` is the index of ``module``.
    """
    set_id, old_set = _set_of(module), _set_of(before)
    if not set_id or not old_set:
        return
    module.bound = max(module.bound, before.bound)  # ids of the older module come back
    name = next(inst.text(0) for inst in before.ext_inst_imports if inst.result_id == old_set)
    _Restorer(module, before, set_id, old_set, name, index or ModuleIndex(module)).run()
    if any(inst.text(0) == shader_debug.SET for inst in module.ext_inst_imports):
        _open_scopes(module, set_id)


def _open_scopes(module: Module, set_id: int) -> None:
    """Open a scope before each DebugValue and DebugDeclare that is outside of any scope.

    It is the scope that the block opens next or, without one, that of the variable.
    """
    definitions = {inst.result_id: inst for inst in module.globals}
    for function in module.functions:
        for block in function.blocks:
            scopes = [i for i in block.instructions if _is_debug(i, set_id) and i.operands[1] in _SCOPES]
            first = next((i for i in scopes if i.operands[1] == opencl_debug.DebugScope), None)
            out: list[Instruction] = []
            is_open = False
            for inst in block.instructions:
                if _is_debug(inst, set_id) and inst.operands[1] in _SCOPES:
                    is_open = inst.operands[1] == opencl_debug.DebugScope
                elif _is_debug(inst, set_id) and inst.operands[1] in _MAPPINGS and not is_open:
                    own = definitions[inst.id(2)].id(_LOCAL_SCOPE)
                    operands = first.operands[2:] if first is not None else [own]
                    number = module.take_id()
                    scope = [set_id, opencl_debug.DebugScope, *operands]
                    out.append(Instruction(op.OpExtInst, inst.type_id, number, scope))
                    is_open = True
                out.append(inst)
            block.instructions = out
