"""What modules share that are cleaned one after the other: permutations of a shader call the same functions.

There is one space of ids for all of them.  Types, constants and variables of a module get the ids under which the same
were seen before; a function gets that of one with the same instructions, so that it is known what can be taken apart in
it and what its clean form is.  Nothing of the result depends on what has been seen: ids of the shared space are not
ordered by, and the module that comes out has its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import DECORATES, NUMBERS
from hlsl_tool.spirv.grammar.tables import id_flags, plain_ids
from hlsl_tool.spirv.ir import Block, Function, Instruction, Module, Operand

from . import survey
from .model import Body, Types
from .structure import with_one_exit

LIMIT = 400_000
"""Instructions that are kept; beyond, all are forgotten.  One takes about 500 bytes."""


@dataclass(slots=True, eq=False)
class Known:
    """A function, and what is known about it."""

    function: Function
    blocks: list[Block]
    """With one exit, but of entry points."""
    calls: tuple[Known, ...]
    roots: dict[int, int] = field(default_factory=dict)
    """Variable or parameter that can be taken apart → its type."""
    in_memory: frozenset[int] = frozenset()
    """Positions of parameters that are needed in memory."""
    privates: dict[int, int] = field(default_factory=dict)
    """Private variable that it or what it calls mentions, and that may be taken apart → its type."""
    refused: frozenset[int] = frozenset()
    """Those of them that cannot."""
    bodies: dict[frozenset[int], Body] = field(default_factory=dict)
    """The private variables among them that are taken apart → its clean form then."""


class Shared:
    """See above; for one thread at a time."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self.types = Types()
        self.rank: dict[int, tuple[str, int]] = {}
        """Variable → its name, and how many of that name stand before it: an order that all modules have."""
        self.functions: dict[tuple[object, ...], Known] = {}
        self.decorations: dict[int, list[Instruction]] = {}
        """Id made in a function → its decorations."""
        self.size = 0

    def begin(self) -> None:
        """Before a module: make room."""
        if self.size > LIMIT:
            self._forget()


class Numbers:
    """The ids of a module in the shared space."""

    def __init__(self, module: Module, shared: Shared) -> None:
        self.module = module
        self.shared = shared
        self.types = shared.types
        self.ids: dict[Operand, int] = {0: 0}
        """Id of the module → shared."""
        self.decorations: dict[Operand, list[Instruction]] = {}
        """Id of the module → its decorations, but those of its members."""
        self.inlined: set[Operand] = set()
        """Ids of the module that are not kept: their names go."""
        self._read_globals()

    # ---- definitions

    def _read_globals(self) -> None:
        module, ids, types = self.module, self.ids, self.types
        for inst in (*module.ext_inst_imports, *(inst for inst in module.sources if inst.result_id)):
            ids[inst.result_id] = types.known((inst.op, 0, *inst.operands), inst.op, 0, inst.operands)
        names = {inst.operands[0]: inst.operands[1] for inst in module.names if inst.op == op.OpName}
        decorated: dict[Operand, list[object]] = {}
        for inst in module.annotations:
            if inst.op in DECORATES:
                self.decorations.setdefault(inst.operands[0], []).append(inst)
            decorated.setdefault(inst.operands[0], []).append((inst.op, *inst.operands[1:]))
        counts: dict[tuple[object, ...], int] = {}
        forward = {inst.operands[0] for inst in module.globals if inst.op == op.OpTypeForwardPointer}
        ids.update((number, types.new_id()) for number in forward)  # no other module's
        for inst in module.globals:
            opcode, number = inst.op, inst.result_id
            if not number:
                continue
            operands = inst.operands if opcode in NUMBERS else self.operands(inst)
            key: tuple[object, ...] = (opcode, ids[inst.type_id], *operands)
            if number in forward:
                types.definitions[ids[number]] = Instruction(opcode, 0, ids[number], operands)
                continue
            if opcode == op.OpVariable:  # bindings and the like make no difference here
                name = str(names.get(number, ""))
                rank = counts[name,] = counts.get((name,), -1) + 1
                key = (*key, name, rank)
                ids[number] = types.known(key, opcode, ids[inst.type_id], operands)
                self.shared.rank[ids[number]] = name, rank
                continue
            if opcode == op.OpTypeStruct or number in decorated:
                key = (*key, names.get(number, ""), *decorated.get(number, ()))
                rank = counts[key] = counts.get(key, -1) + 1
                key = (*key, rank)
            ids[number] = types.known(key, opcode, ids[inst.type_id], operands)

    def operands(self, inst: Instruction) -> list[Operand]:
        """The operands in the shared space."""
        ids, operands = self.ids, inst.operands
        if len(operands) <= plain_ids(inst.op):
            return [ids[x] for x in operands]
        if inst.op == op.OpExtInst:
            return [ids[operands[0]], operands[1], *(ids[x] for x in operands[2:])]
        flags = id_flags(inst.op, operands)
        return [ids[x] if flag else x for x, flag in zip(operands, flags, strict=True)]

    # ---- functions

    def function(self, function: Function, known: dict[int, Known]) -> Known:
        """What is known about a function; ``known``: about those that it calls, by their shared ids."""
        key = self._key(function)
        found = self.shared.functions.get(key)
        if found is None:
            found = self.shared.functions[key] = self.entry(function, known, is_entry=False)
        self.ids[function.id] = found.function.id
        return found

    def _key(self, function: Function) -> tuple[object, ...]:
        """All that makes a function: its own ids are numbered from -1 downwards."""
        ids, decorations = self.ids, self.decorations
        own = _made_in(function)
        ids.update(zip(own, range(-1, -len(own) - 1, -1), strict=True))
        definition = function.definition
        key: list[object] = [ids[definition.type_id], definition.operands[0], ids[definition.operands[1]]]
        key += [ids[inst.type_id] for inst in function.parameters]
        for block in function.blocks:
            key.append(ids[block.label])
            for inst in block.instructions:
                operands = inst.operands
                key.append(len(operands) << 16 | inst.op)
                key.append(ids[inst.type_id])
                if inst.line is not None:
                    key.append(self._line(inst))
                if len(operands) <= plain_ids(inst.op):
                    key += [ids[x] for x in operands]
                else:
                    key += self.operands(inst)
        for number in own:
            if number in decorations:
                key += [(ids[number], inst.op, *self.operands(inst)[1:]) for inst in decorations[number]]
        return tuple(key)

    def entry(
        self, function: Function, known: dict[int, Known], *, inner: Function | None = None, is_entry: bool = True
    ) -> Known:
        """A function in the shared space, and what can be taken apart in it.

        ``inner``: what an entry point wraps: the only function that its one block calls, and that nobody else does.
        It is put in place of the call as it is, since to clean it twice would be half of all work.
        """
        shared, types, ids = self.shared, self.types, self.ids
        own = _made_in(function)
        if inner is not None:
            self.inlined.update(inside := _made_in(inner))
            own += inside
        first = types.next_id
        types.next_id += len(own)
        ids.update(zip(own, range(first, types.next_id), strict=True))
        shared.size += len(own)
        for number in own:
            if number in self.decorations:
                shared.decorations[ids[number]] = [
                    Instruction(inst.op, 0, 0, self.operands(inst)) for inst in self.decorations[number]
                ]
        made = Function(self._renamed(function.definition), [self._renamed(inst) for inst in function.parameters])
        if inner is not None:
            made.blocks = self._joined(function, inner)
        else:
            made.blocks = self._blocks(function)
        calls = {inst.id(0): known[inst.id(0)] for inst in made.instructions() if inst.op == op.OpFunctionCall}
        found = Known(made, made.blocks if is_entry else with_one_exit(made, types), tuple(calls.values()))
        self._survey(found, calls)
        return found

    def _blocks(self, function: Function) -> list[Block]:
        renamed, ids = self._renamed, self.ids
        return [Block(ids[block.label], [renamed(inst) for inst in block.instructions]) for block in function.blocks]

    def _joined(self, function: Function, inner: Function) -> list[Block]:
        """The blocks of a function with those of another in place of its call."""
        (block,) = function.blocks
        at, call = next((n, it) for n, it in enumerate(block.instructions) if it.op == op.OpFunctionCall)
        before = [self._renamed(inst) for inst in block.instructions[:at]]
        for parameter, argument in zip(inner.parameters, call.ints()[1:], strict=True):
            self.ids[parameter.result_id] = self.ids[argument]
        made = Function(self._renamed(inner.definition), [], self._blocks(inner))
        blocks = with_one_exit(made, self.types)
        end = blocks[-1].instructions.pop()
        if end.op == op.OpReturnValue:
            self.ids[call.result_id] = end.id(0)
        blocks[0].instructions[:0] = before
        blocks[-1].instructions += [self._renamed(inst) for inst in block.instructions[at + 1 :]]
        return blocks

    def _renamed(self, inst: Instruction) -> Instruction:
        ids = self.ids
        return Instruction(inst.op, ids[inst.type_id], ids[inst.result_id], self.operands(inst), self._line(inst))

    def _line(self, inst: Instruction) -> tuple[int, ...] | None:
        """The position of an instruction, its file by the shared id."""
        return (self.ids[inst.line[0]], *inst.line[1:]) if inst.line is not None else None

    def _survey(self, known: Known, calls: dict[int, Known]) -> None:
        """Fill in what can be taken apart."""
        types = self.types
        mentioned = {x for block in known.blocks for inst in block.instructions for x in inst.operands}
        own = {}
        for number in self.shared.rank.keys() & mentioned:
            pointer_type = types.definitions[number].type_id
            value_type = types.pointee(pointer_type)
            if types.storage(pointer_type) == e.StorageClass.Private and survey.is_suited(types, value_type):
                own[number] = value_type
        roots = survey.candidates(known.function, known.blocks, types)
        in_memory = {number: callee.in_memory for number, callee in calls.items()}
        bad = survey.kept_in_memory(known.blocks, {**roots, **own}, types, in_memory)
        known.in_memory = frozenset(
            n
            for n, parameter in enumerate(known.function.parameters)
            if types.storage(parameter.type_id) == e.StorageClass.Function
            and (parameter.result_id in bad or parameter.result_id not in roots)
        )
        known.roots = {root: type_id for root, type_id in roots.items() if root not in bad}
        known.privates = own
        known.refused = frozenset(bad & own.keys())
        for callee in known.calls:
            known.privates.update(callee.privates)
            known.refused |= callee.refused


def _made_in(function: Function) -> list[Operand]:
    """The ids of a function."""
    made: list[Operand] = [function.id, *(inst.result_id for inst in function.parameters)]
    for block in function.blocks:
        made.append(block.label)
        made += [inst.result_id for inst in block.instructions if inst.result_id]
    return made
