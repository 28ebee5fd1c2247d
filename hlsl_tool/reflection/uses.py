"""Find the resources and push constants that the call graph of each entry point reads and writes.

A pointer or handle is followed through access chains, loads, selections and phis inside a function. If it is an
argument of a call, the access counts as ``unknown``, since the callee may read and write; legalised modules have few
such calls.
"""

from __future__ import annotations

from collections.abc import Collection

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.reflection.reflection import Type
from hlsl_tool.reflection.spirv_types import TypeReader
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS, ALL_CHAINS, ARRAYS, HANDLES
from hlsl_tool.spirv.analysis.uses import is_non_semantic
from hlsl_tool.spirv.enums import StorageClass
from hlsl_tool.spirv.grammar import tables
from hlsl_tool.spirv.ir import Function, Instruction, Module

READ, WRITE, UNKNOWN = 1, 2, 4
_BOTH = READ | WRITE

_DERIVED = HANDLES | ARRAYS
"""Types of values that refer to one or several resources."""
_PASSED_ON = ALL_CHAINS | {
    op.OpCopyObject,
    op.OpPhi,
    op.OpSelect,
    op.OpSampledImage,
    op.OpImage,
    op.OpImageTexelPointer,
}
"""Opcodes whose result refers to the resource of an operand, without an access to it."""
_WRITES = {
    op.OpStore: 0,
    op.OpImageWrite: 0,
    op.OpCopyMemory: 0,
    op.OpCopyMemorySized: 0,
    op.OpAtomicStore: 0,
    op.OpAtomicFlagClear: 0,
    op.OpCooperativeMatrixStoreKHR: 0,
}
"""Opcode → the operand that is written to; the others are read."""
_ATOMIC_READS = frozenset((op.OpAtomicLoad,))
_Place = tuple[int, int, Type]
"""(variable of a block without a binding, offset in bytes, type at that offset)"""


@dataclass(slots=True)
class Uses:
    """The reads and writes of variables by one function, or by all functions that an entry point calls."""

    effects: dict[int, int] = field(default_factory=dict)
    """Variable → a mask of READ, WRITE, UNKNOWN; 0 if it is mentioned without an access."""
    ranges: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Block without a binding → (first byte accessed, end of the last)."""
    calls: set[int] = field(default_factory=set)

    def touch(self, variable: int, effect: int) -> None:
        """Add READ, WRITE or UNKNOWN to the accesses of a variable; 0 records that an instruction mentions it."""
        self.effects[variable] = self.effects.get(variable, 0) | effect

    def touch_range(self, variable: int, begin: int, end: int) -> None:
        """Add an access to the bytes from ``begin`` to ``end`` of a block."""
        low, high = self.ranges.get(variable, (begin, end))
        self.ranges[variable] = (min(low, begin), max(high, end))

    def add(self, other: Uses) -> None:
        """Add the reads, writes and byte ranges of another function, but not its calls."""
        for variable, effect in other.effects.items():
            self.touch(variable, effect)
        for variable, (begin, end) in other.ranges.items():
            self.touch_range(variable, begin, end)


def uses_of_entries(
    module: Module, types: TypeReader, variables: Collection[int], blocks: dict[int, Type]
) -> dict[int, Uses]:
    """Return function id of each entry point → the reads and writes of that function and of all that it calls.

    ``variables`` are the ids to follow, ``blocks`` those whose byte ranges are recorded.
    """
    scan = _Scan(module, types, frozenset(variables), blocks)
    functions = {f.id: f for f in module.functions}
    by_function: dict[int, Uses] = {}
    entries: dict[int, Uses] = {}
    for inst in module.entry_points:
        total = Uses()
        seen: set[int] = set()
        todo = [inst.id(1)]
        while todo:
            number = todo.pop()
            if number in seen or number not in functions:
                continue
            seen.add(number)
            if number not in by_function:
                by_function[number] = scan.function(functions[number])
            total.add(by_function[number])
            todo += sorted(by_function[number].calls)
        entries[inst.id(1)] = total
    return entries


class _Scan:
    def __init__(self, module: Module, types: TypeReader, variables: frozenset[int], blocks: dict[int, Type]) -> None:
        self.types, self.variables, self.blocks = types, variables, blocks
        self.debug_sets = {inst.result_id for inst in module.ext_inst_imports if is_non_semantic(inst.text(0))}

    def function(self, function: Function) -> Uses:
        uses = Uses()
        owners: dict[int, frozenset[int]] = {number: frozenset((number,)) for number in self.variables}
        """Id → the variables that it refers to."""
        places: dict[int, _Place] = {number: (number, 0, block) for number, block in self.blocks.items()}
        followed = set(owners)
        for inst in function.instructions():
            if inst.op == op.OpFunctionCall:
                uses.calls.add(inst.id(0))
            if not followed.isdisjoint(inst.operands):
                self._instruction(inst, owners, places, uses)
                if inst.result_id in owners:
                    followed.add(inst.result_id)
        return uses

    def _instruction(
        self, inst: Instruction, owners: dict[int, frozenset[int]], places: dict[int, _Place], uses: Uses
    ) -> None:
        number, operands = inst.op, inst.operands
        if number == op.OpExtInst and inst.id(0) in self.debug_sets:
            return
        flags = tables.id_flags(number, operands)
        hits = [i for i, (o, is_id) in enumerate(zip(operands, flags, strict=True)) if is_id and o in owners]
        for position in hits:
            for variable in owners[inst.id(position)]:
                uses.touch(variable, self._effect(inst, position))
            if inst.id(position) in places:
                self._range(inst, inst.id(position), places, uses)
        if hits and inst.result_id and self._derives(inst):
            owners[inst.result_id] = frozenset().union(*(owners[inst.id(i)] for i in hits))

    def _effect(self, inst: Instruction, position: int) -> int:
        number = inst.op
        if number in _PASSED_ON or (number == op.OpLoad and self._derives(inst)):
            return 0
        if number == op.OpFunctionCall:
            return UNKNOWN
        if number in _WRITES:
            return WRITE if position == _WRITES[number] else READ
        if tables.INSTRUCTIONS[number][0].startswith("OpAtomic") and number not in _ATOMIC_READS:
            return _BOTH
        return READ

    def _derives(self, inst: Instruction) -> bool:
        """Return whether the result of an instruction refers to the resource, as opposed to being data read from it."""
        if inst.op in _PASSED_ON:
            return True
        t = self.types.definitions.get(inst.type_id)
        return inst.op == op.OpLoad and t is not None and t.op in _DERIVED and not self._is_data(t)

    def _is_data(self, t: Instruction) -> bool:
        """Return whether loading this type reads data: numbers, arrays of them, or buffer addresses."""
        while t.op in ARRAYS:
            t = self.types.definitions[t.id(0)]
        return t.op not in _DERIVED or (t.op == op.OpTypePointer and t.id(0) == StorageClass.PhysicalStorageBuffer)

    # ----------------------------------------------------------------------------------------------- bytes of blocks

    def _range(self, inst: Instruction, base: int, places: dict[int, _Place], uses: Uses) -> None:
        """Record the effect of an instruction on the pointer ``base`` into a block.

        An access chain adds its result to ``places`` (pointer → variable, offset, type). Any other instruction adds
        all bytes that the pointer refers to, as a range, to ``uses``.
        """
        variable, offset, t = places[base]
        if inst.op in ACCESS_CHAINS and inst.id(0) == base:
            places[inst.result_id] = (variable, *self._walk(offset, t, inst.ints()[1:]))
            return
        whole = self.blocks[variable].size or 0
        uses.touch_range(variable, offset, whole if t.size is None else offset + t.size)

    def _walk(self, offset: int, t: Type, indices: list[int]) -> tuple[int, Type]:
        """Return the (offset in bytes, type) to which an access chain leads from a type at ``offset``.

        The chain is followed up to the first index that is not constant.
        """
        for index in indices:
            inst = self.types.definitions.get(index)
            if inst is None or inst.op not in (op.OpConstant, op.OpConstantNull):
                return offset, Type("other", size=t.size)
            value = int(self.types.constant(index))
            if t.kind == "struct" and 0 <= value < len(t.members):
                offset, t = offset + (t.members[value].offset or 0), t.members[value].type
            elif t.kind == "array" and t.element is not None and t.stride is not None and value >= 0:
                offset, t = offset + value * t.stride, t.element
            elif t.kind == "vector" and 0 <= value < t.columns:
                return offset + value * t.bits // 8, Type("other", size=t.bits // 8)
            else:
                return offset, Type("other", size=t.size)
        return offset, t
