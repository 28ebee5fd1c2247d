"""Share functions and promoted bodies between modules: permutations of a shader call the same functions.

All modules use a common id space. Types, constants and variables get the ids of equal ones in earlier modules; a
function gets the id of a function with the same instructions, and so shares its analysis and its promoted bodies. The
cache does not affect results: nothing is ordered by its ids, and the resulting module is numbered anew.
"""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.codegen.passes.promote.promoted_body import Body, PromotedTypes
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import DECORATES, NUMBERS
from hlsl_tool.spirv.enums import StorageClass
from hlsl_tool.spirv.grammar.tables import PLAIN_IDS, id_flags, plain_ids
from hlsl_tool.spirv.ir import Block, Function, Instruction, Module, Operand

from . import replaceable
from .single_exit import with_one_exit

LIMIT = 400_000
"""Number of cached instructions above which the cache is cleared.  One takes about 500 bytes."""


@dataclass(slots=True, eq=False)
class FunctionInfo:
    """A function, the analysis of its variables, and its promoted bodies."""

    function: Function
    blocks: list[Block]
    """The blocks, with a single exit unless it is an entry point."""
    calls: tuple[FunctionInfo, ...]
    roots: dict[int, int] = field(default_factory=dict)
    """Variable or parameter that can be replaced → its type."""
    in_memory: frozenset[int] = frozenset()
    """Positions of the parameters that must be in memory."""
    privates: dict[int, int] = field(default_factory=dict)
    """Private variable that it or a callee uses, and that may be replaced → its type."""
    refused: frozenset[int] = frozenset()
    """Private variables that cannot be replaced because of this function or its callees."""
    bodies: dict[frozenset[int], Body] = field(default_factory=dict)
    """Private variables that are replaced → the promoted body."""


class FunctionCache:
    """Types, functions and promoted bodies of the modules processed so far; not thread-safe."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.types = PromotedTypes()
        self.rank: dict[int, tuple[str, int]] = {}
        """Variable → (name, number of variables of that name before it): an order that is the same in all modules."""
        self.functions: dict[tuple[object, ...], FunctionInfo] = {}
        self.decorations: dict[int, list[Instruction]] = {}
        """Id that a function defines → its decorations."""
        self.size = 0

    def begin(self) -> None:
        """Clear the cache if it is full; call this before each module."""
        if self.size > LIMIT:
            self._clear()


class CacheIds:
    """Maps the ids of one module to those of the `FunctionCache`, which equal definitions of all modules share."""

    def __init__(self, module: Module, cache: FunctionCache) -> None:
        self.module = module
        self.cache = cache
        self.types = cache.types
        self.ids: dict[Operand, int] = {0: 0}
        """Id of the module → id of the cache."""
        self.decorations: dict[Operand, list[Instruction]] = {}
        """Id of the module → its decorations, without those of members."""
        self.inlined: set[Operand] = set()
        """Ids of functions that are merged into their entry point: their names are dropped."""
        self._read_globals()

    # ---- definitions

    def _read_globals(self) -> None:
        module, ids, types = self.module, self.ids, self.types
        for inst in (*module.ext_inst_imports, *(inst for inst in module.sources if inst.result_id)):
            ids[inst.result_id] = types.find((inst.op, 0, *inst.operands), inst.op, 0, inst.operands)
        names = {inst.operands[0]: inst.operands[1] for inst in module.names if inst.op == op.OpName}
        decorated = self._read_decorations()
        counts: dict[tuple[object, ...], int] = {}
        forward = {inst.operands[0] for inst in module.globals if inst.op == op.OpTypeForwardPointer}
        ids.update((number, types.new_id()) for number in forward)  # not shared with other modules
        for inst in module.globals:
            opcode, number = inst.op, inst.result_id
            if not number:
                continue
            operands = inst.operands if opcode in NUMBERS else self.operands(inst)
            key: tuple[object, ...] = (opcode, ids[inst.type_id], *operands)
            if number in forward:
                types.definitions[ids[number]] = Instruction(opcode, 0, ids[number], operands)
                continue
            if opcode == op.OpVariable:  # bindings and other decorations do not matter for promotion
                name = str(names.get(number, ""))
                rank = counts[name,] = counts.get((name,), -1) + 1
                key = (*key, name, rank)
                ids[number] = types.find(key, opcode, ids[inst.type_id], operands)
                self.cache.rank[ids[number]] = name, rank
                continue
            if opcode == op.OpTypeStruct or number in decorated:
                key = (*key, names.get(number, ""), *decorated.get(number, ()))
                rank = counts[key] = counts.get(key, -1) + 1
                key = (*key, rank)
            ids[number] = types.find(key, opcode, ids[inst.type_id], operands)

    def _read_decorations(self) -> dict[Operand, list[object]]:
        """Fill ``decorations``; return a mapping from each id to its (and its members') decorations, hashable."""
        decorated: dict[Operand, list[object]] = {}
        for inst in self.module.annotations:
            if inst.op in DECORATES:
                self.decorations.setdefault(inst.operands[0], []).append(inst)
            decorated.setdefault(inst.operands[0], []).append((inst.op, *inst.operands[1:]))
        return decorated

    def operands(self, inst: Instruction) -> list[Operand]:
        """Return an instruction's operands, with ids of the `FunctionCache`."""
        ids, operands = self.ids, inst.operands
        if len(operands) <= plain_ids(inst.op):
            return list(map(ids.__getitem__, operands))
        flags = id_flags(inst.op, operands)
        return [ids[x] if flag else x for x, flag in zip(operands, flags, strict=True)]

    # ---- functions

    def function(self, function: Function, callees: dict[int, FunctionInfo]) -> FunctionInfo:
        """Return the info of a function, from the cache if possible.

        ``callees`` maps function ids of the cache to infos.
        """
        key = self._key(function)
        info = self.cache.functions.get(key)
        if info is None:
            info = self.cache.functions[key] = self.entry(function, callees, is_entry=False)
        self.ids[function.id] = info.function.id
        return info

    def _key(self, function: Function) -> tuple[object, ...]:
        """Return a hashable key of a function's content; ids defined in the function are numbered -1, -2, …."""
        ids, decorations = self.ids, self.decorations
        own = _ids_defined_in(function)
        ids.update(zip(own, range(-1, -len(own) - 1, -1), strict=True))
        definition = function.definition
        key: list[object] = [ids[definition.type_id], definition.operands[0], ids[definition.operands[1]]]
        key += [ids[inst.type_id] for inst in function.parameters]
        append, id_of, plain = key.append, ids.__getitem__, PLAIN_IDS
        for block in function.blocks:
            append(ids[block.label])
            for inst in block.instructions:
                opcode, operands = inst.op, inst.operands
                append(len(operands) << 16 | opcode)
                append(ids[inst.type_id])
                if inst.line is not None:
                    append(self._line(inst))
                key += map(id_of, operands) if len(operands) <= plain.get(opcode, -1) else self.operands(inst)
        for number in own:
            if number in decorations:
                key += [(ids[number], inst.op, *self.operands(inst)[1:]) for inst in decorations[number]]
        return tuple(key)

    def entry(
        self,
        function: Function,
        callees: dict[int, FunctionInfo],
        *,
        inner: Function | None = None,
        is_entry: bool = True,
    ) -> FunctionInfo:
        """Copy a function, with ids of the cache, and return its info; ``is_entry``: it is that of an entry point.

        ``inner`` is a function that is called only by the single block of this entry point. It replaces the call before
        promotion, since promoting it separately would be half of all work.
        """
        cache, types, ids = self.cache, self.types, self.ids
        own = _ids_defined_in(function)
        if inner is not None:
            self.inlined.update(inside := _ids_defined_in(inner))
            own += inside
        first = types.next_id
        types.next_id += len(own)
        ids.update(zip(own, range(first, types.next_id), strict=True))
        cache.size += len(own)
        for number in own:
            if number in self.decorations:
                cache.decorations[ids[number]] = [
                    Instruction(inst.op, 0, 0, self.operands(inst)) for inst in self.decorations[number]
                ]
        copy = Function(self._renamed(function.definition), [self._renamed(inst) for inst in function.parameters])
        if inner is not None:
            copy.blocks = self._joined(function, inner)
        else:
            copy.blocks = self._blocks(function)
        calls = {inst.id(0): callees[inst.id(0)] for inst in copy.instructions() if inst.op == op.OpFunctionCall}
        info = FunctionInfo(copy, copy.blocks if is_entry else with_one_exit(copy, types), tuple(calls.values()))
        self._analyse(info, calls)
        return info

    def _blocks(self, function: Function) -> list[Block]:
        renamed, ids = self._renamed, self.ids
        return [Block(ids[block.label], [renamed(inst) for inst in block.instructions]) for block in function.blocks]

    def _joined(self, function: Function, inner: Function) -> list[Block]:
        """Return the blocks of ``inner`` with the instructions of ``function`` before and after its call added."""
        (block,) = function.blocks
        at, call = next((n, it) for n, it in enumerate(block.instructions) if it.op == op.OpFunctionCall)
        before = [self._renamed(inst) for inst in block.instructions[:at]]
        for parameter, argument in zip(inner.parameters, call.ints()[1:], strict=True):
            self.ids[parameter.result_id] = self.ids[argument]
        copy = Function(self._renamed(inner.definition), [], self._blocks(inner))
        blocks = with_one_exit(copy, self.types)
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
        """Return the source position of an instruction, with its file's id in the `FunctionCache`.

        The result is ``None`` without a position.
        """
        return (self.ids[inst.line[0]], *inst.line[1:]) if inst.line is not None else None

    def _analyse(self, info: FunctionInfo, calls: dict[int, FunctionInfo]) -> None:
        """Determine the variables and parameters of a function that can be scalar-replaced."""
        types = self.types
        mentioned = {x for block in info.blocks for inst in block.instructions for x in inst.operands}
        own = {}
        for number in self.cache.rank.keys() & mentioned:
            pointer_type = types.definitions[number].type_id
            value_type = types.pointee(pointer_type)
            if types.storage(pointer_type) == StorageClass.Private and replaceable.is_suited(types, value_type):
                own[number] = value_type
        roots = replaceable.candidates(info.function, info.blocks, types)
        in_memory = {number: callee.in_memory for number, callee in calls.items()}
        refused = replaceable.refused(info.blocks, {**roots, **own}, types, in_memory)
        info.in_memory = frozenset(
            n
            for n, parameter in enumerate(info.function.parameters)
            if types.storage(parameter.type_id) == StorageClass.Function
            and (parameter.result_id in refused or parameter.result_id not in roots)
        )
        info.roots = {root: type_id for root, type_id in roots.items() if root not in refused}
        info.privates = own
        info.refused = frozenset(refused & own.keys())
        for callee in info.calls:
            info.privates.update(callee.privates)
            info.refused |= callee.refused


def _ids_defined_in(function: Function) -> list[Operand]:
    """Return the ids that a function defines: its id, parameters, labels and results."""
    ids: list[Operand] = [function.id, *(inst.result_id for inst in function.parameters)]
    for block in function.blocks:
        ids.append(block.label)
        ids += [inst.result_id for inst in block.instructions if inst.result_id]
    return ids
