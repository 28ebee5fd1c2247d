"""Merge the variables of hit objects, which no SPIR-V instruction can copy.

Before: ``OpStore %h (OpLoad %temp)``, also through ``OpPhi``, copies a hit object, as HLSL does at each assignment,
argument and result; calls are inlined. After: ``%h`` and ``%temp`` are one variable, and there are no loads, stores or
phis of hit objects.

Variables and values that are copies of each other form a class, whose members can share a variable if none of them is
read after another member received a new hit object. Other classes are not changed, and ``legality`` reports them.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis import cfg
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.analysis.uses import rename, used_ids
from hlsl_tool.spirv.ir import Block, Function, Instruction, Module

HIT_OBJECTS = frozenset((op.OpTypeHitObjectEXT, op.OpTypeHitObjectNV))
_MAKERS = frozenset(
    (
        op.OpHitObjectRecordEmptyEXT, op.OpHitObjectRecordMissEXT, op.OpHitObjectRecordMissMotionEXT,
        op.OpHitObjectRecordFromQueryEXT, op.OpHitObjectTraceRayEXT, op.OpHitObjectTraceRayMotionEXT,
        op.OpHitObjectRecordEmptyNV, op.OpHitObjectRecordMissNV, op.OpHitObjectRecordMissMotionNV,
        op.OpHitObjectTraceRayNV, op.OpHitObjectTraceRayMotionNV, op.OpHitObjectRecordHitNV,
        op.OpHitObjectRecordHitWithIndexNV, op.OpHitObjectRecordHitMotionNV,
        op.OpHitObjectRecordHitWithIndexMotionNV,
    )
)  # fmt: skip
"""Instructions that make a new hit object in the variable that is their first operand."""
_CHANGES = frozenset((op.OpHitObjectSetShaderBindingTableRecordIndexEXT,))
"""Instructions that change a hit object in place."""
_COPIES = frozenset((op.OpLoad, op.OpStore, op.OpPhi, op.OpCopyObject))


def has_hit_objects(index: ModuleIndex) -> bool:
    """Return whether a module declares a hit object type."""
    return any(inst.op in HIT_OBJECTS for inst in index.module.globals)


def merge_hit_objects(module: Module, index: ModuleIndex) -> None:
    """Merge the variables of hit objects that are copies of each other, and remove the copies, in place."""
    types = {inst.result_id for inst in module.globals if inst.op in HIT_OBJECTS}
    pointers = {inst.result_id for inst in module.globals if inst.op == op.OpTypePointer and inst.id(1) in types}
    privates = [inst.result_id for inst in module.globals if inst.op == op.OpVariable and inst.type_id in pointers]
    gone: set[int] = set()
    for function in module.functions:
        merger = _Merger(function, types, pointers, privates)
        merger.run(index.wide_switches(function))
        gone |= merger.gone
    module.names = [inst for inst in module.names if inst.operands[0] not in gone]
    module.annotations = [inst for inst in module.annotations if inst.operands[0] not in gone]


class _Merger:
    """Merges the hit object variables of one function."""

    def __init__(self, function: Function, types: set[int], pointers: set[int], privates: list[int]) -> None:
        self.function = function
        self.types = types
        self.variables = [
            *privates,
            *(inst.result_id for inst in function.parameters if inst.type_id in pointers),
            *(i.result_id for i in function.instructions() if i.op == op.OpVariable and i.type_id in pointers),
        ]
        self.owner: dict[int, int] = {number: number for number in self.variables}
        """Member → another member of its class; the end of this chain represents the class."""
        self.ends: dict[int, set[int]] = {}
        """Block → the members that are stale at its end: another member of their class may have a newer hit object."""
        self.gone: set[int] = set()
        """Variables and values that are no longer there."""

    def run(self, wide: Container[int]) -> None:
        """Merge those sets of copied hit objects that can share a variable.

        ``wide`` are the labels of blocks with a 64-bit switch.
        """
        copies = [inst for inst in self.function.instructions() if self._is_copy(inst)]
        if not copies:
            return
        for inst in copies:
            self._unite(inst)
        broken = self._broken(wide)
        merged = {number for number in self.owner if self._find(number) not in broken}
        self._rewrite(merged)

    def _is_copy(self, inst: Instruction) -> bool:
        if inst.op == op.OpStore:
            return inst.id(0) in self.owner
        return inst.op in _COPIES and inst.type_id in self.types

    # ---- classes

    def _find(self, number: int) -> int:
        owner = self.owner
        while owner.setdefault(number, number) != number:
            owner[number] = owner[owner[number]]
            number = owner[number]
        return number

    def _unite(self, inst: Instruction) -> None:
        target = inst.id(0) if inst.op == op.OpStore else inst.result_id
        for source in _sources(inst):
            first, second = self._find(target), self._find(source)
            if first != second:
                self.owner[first] = second

    # ---- whether a class can share a variable

    def _broken(self, wide: Container[int]) -> set[int]:
        """Return the sets of copied hit objects that cannot share a variable.

        In these a hit object is read after another one of the set was changed, or is copied to memory outside of the
        set.
        """
        broken = {self._find(number) for number in self._escaping()}
        for block, stale in self._stale_at_begin(wide):
            for inst in block.instructions:
                broken.update(self._find(number) for number in self._reads(inst) if number in stale)
                self._step(inst, stale)
        return broken

    def _escaping(self) -> set[int]:
        """Return the hit objects that are copied from or to other memory than variables, such as array elements."""
        variables = set(self.variables)
        escaping: set[int] = set()
        for inst in self.function.instructions():
            if inst.op == op.OpLoad and inst.type_id in self.types and inst.operands[0] not in variables:
                escaping.add(inst.result_id)
            elif not self._is_copy(inst):
                escaping.update(x for x in used_ids(inst) if x in self.owner and x not in variables)
        return escaping

    def _stale_at_begin(self, wide: Container[int]) -> list[tuple[Block, set[int]]]:
        """Return (block, hit objects that are stale at its beginning) for each block.

        A hit object is stale after another one of its set of copies received new contents.
        """
        blocks = self.function.blocks
        before = cfg.predecessors_of(cfg.successors_by_label(blocks, wide))
        self.ends = {block.label: set() for block in blocks}
        begins: dict[int, set[int]] = {}
        changed = True
        while changed:
            changed = False
            for block in blocks:
                begin = set[int]().union(*(self.ends[label] for label in before[block.label]))
                end = set(begin)
                for inst in block.instructions:
                    self._step(inst, end)
                if begin != begins.get(block.label) or end != self.ends[block.label]:
                    begins[block.label], self.ends[block.label], changed = begin, end, True
        return [(block, set(begins[block.label])) for block in blocks]

    def _step(self, inst: Instruction, stale: set[int]) -> None:
        """Update the set of stale hit objects for the effects of an instruction."""
        if inst.op in _MAKERS or inst.op in _CHANGES:
            if inst.id(0) in self.owner:
                root = self._find(inst.id(0))
                stale.update(number for number in self.owner if self._find(number) == root)
                stale.discard(inst.id(0))
        elif self._is_copy(inst):
            target = inst.id(0) if inst.op == op.OpStore else inst.result_id
            if self._copies_stale(inst, stale):
                stale.add(target)
            else:
                stale.discard(target)

    def _copies_stale(self, inst: Instruction, stale: set[int]) -> bool:
        if inst.op != op.OpPhi:
            return any(source in stale for source in _sources(inst))
        pairs = zip(inst.ints()[::2], inst.ints()[1::2], strict=True)
        return any(source in self.ends[label] for source, label in pairs)

    def _reads(self, inst: Instruction) -> Iterable[int]:
        """Return the hit objects that an instruction reads; a copy counts as no read."""
        if self._is_copy(inst) or inst.op == op.OpVariable:
            return ()
        operands = used_ids(inst)
        return [operand for operand in operands[inst.op in _MAKERS :] if operand in self.owner]

    # ---- the result

    def _rewrite(self, merged: set[int]) -> None:
        """Replace each set of copied hit objects by one variable, and remove the copies."""
        holders: dict[int, int] = {}
        for number in self.variables:
            if number in merged:
                holders.setdefault(self._find(number), number)
        by = {number: holders[self._find(number)] for number in merged}
        self.gone = {number for number, holder in by.items() if number != holder}
        for block in self.function.blocks:
            kept = []
            for inst in block.instructions:
                is_copy = self._is_copy(inst) and (inst.id(0) if inst.op == op.OpStore else inst.result_id) in by
                if is_copy or inst.result_id in self.gone:
                    continue
                rename(inst, by)
                kept.append(inst)
            block.instructions[:] = kept


def _sources(inst: Instruction) -> list[int]:
    """Return the ids of the hit objects that a copy reads: one, or several for a phi."""
    if inst.op == op.OpPhi:
        return inst.ints()[::2]
    return [inst.id(1) if inst.op == op.OpStore else inst.id(0)]
