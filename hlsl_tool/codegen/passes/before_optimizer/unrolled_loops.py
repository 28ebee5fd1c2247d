"""Protect values that the header of an unrolled loop computes: spirv-opt keeps those of the first iteration.

Before: a loop with ``Unroll`` whose header computes values that are used after the loop, as for
``[unroll] while (i++ < 4)``.  spirv-opt replaces the phis of the header by their final values where they are used after
the loop, but the other values of the header by those of its first copy.  After: the values are computed again from the
phis, at the start of the merge block; where that is not possible, the loop is not unrolled.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.cfg import merge_of, merge_targets, predecessors_of, reach, successors_by_label
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.analysis.uses import rename, renamed, used_ids, uses
from hlsl_tool.spirv.enums import LoopControl, StorageClass
from hlsl_tool.spirv.ir import Block, Function, Instruction, Module

_REPEATABLE = frozenset(
    (
        op.OpIAdd, op.OpISub, op.OpIMul, op.OpSNegate, op.OpFAdd, op.OpFSub, op.OpFMul, op.OpFNegate, op.OpNot,
        op.OpShiftLeftLogical, op.OpShiftRightLogical, op.OpShiftRightArithmetic, op.OpBitwiseAnd, op.OpBitwiseOr,
        op.OpBitwiseXor, op.OpBitcast, op.OpConvertSToF, op.OpConvertUToF, op.OpConvertFToS, op.OpConvertFToU,
        op.OpSLessThan, op.OpULessThan, op.OpSLessThanEqual, op.OpULessThanEqual, op.OpSGreaterThan, op.OpUGreaterThan,
        op.OpSGreaterThanEqual, op.OpUGreaterThanEqual, op.OpIEqual, op.OpINotEqual, op.OpLogicalNot, op.OpLogicalAnd,
        op.OpLogicalOr, op.OpSelect,
    )
)  # fmt: skip
"""Cheap instructions whose results depend on nothing but their operands."""


def protect_header_values(module: Module, index: ModuleIndex) -> None:
    """Compute values of the headers of unrolled loops again after the loops, or do not unroll these, in place."""
    memory = _Memory(module)
    for function in module.functions:
        for block in function.blocks:
            merge = merge_of(block)
            if merge is not None and _is_unrolled(merge):
                _Loop(module, function, block, memory, index.wide_switches(function)).protect(merge)


def _is_unrolled(merge: Instruction) -> bool:
    return merge.op == op.OpLoopMerge and bool(merge.id(2) & LoopControl.Unroll)


def _instructions(blocks: Iterable[Block]) -> Iterator[Instruction]:
    for block in blocks:
        yield from block.instructions


class _Memory:
    """The writes of a module to variables, which are left in memory if it is not promoted."""

    def __init__(self, module: Module) -> None:
        self.shared = {
            inst.result_id for inst in module.globals if inst.op == op.OpVariable and inst.id(0) == StorageClass.Private
        }
        """Variables that several functions can name, and parameters."""
        self.roots: dict[int, int] = {}
        """Access chain → its variable."""
        self.writers: set[int] = set()
        """Functions that write to shared variables, also by the functions they call."""
        callers: dict[int, list[int]] = {}
        for function in module.functions:
            self.shared.update(parameter.result_id for parameter in function.parameters)
            number = function.definition.result_id
            for inst in _instructions(function.blocks):
                if inst.op in ACCESS_CHAINS:
                    self.roots[inst.result_id] = self.root(inst.id(0))
                elif inst.op == op.OpFunctionCall:
                    callers.setdefault(inst.id(0), []).append(number)
                elif inst.op == op.OpStore and self.root(inst.id(0)) in self.shared:
                    self.writers.add(number)
        self.writers = reach(self.writers, callers)

    def root(self, pointer: int) -> int:
        """Return the variable that a pointer leads to."""
        return self.roots.get(pointer, pointer)


class _Loop:
    """A loop to unroll."""

    def __init__(
        self, module: Module, function: Function, header: Block, memory: _Memory, wide: Container[int]
    ) -> None:
        self.module = module
        self.header = header
        self.memory = memory
        following = successors_by_label(function.blocks, wide)
        self.end, _ = merge_targets(header)
        self.before_end = predecessors_of(following)[self.end]
        inside = reach((header.label,), following | {self.end: []}) - {self.end}
        self.outside = [block for block in function.blocks if block.label not in inside]
        self.tested = self._tested({block.label: block for block in function.blocks})

    def _tested(self, blocks: dict[int, Block]) -> list[Block]:
        """Return the header, and the blocks after it up to the first branch: spirv-opt makes one block of them."""
        tested = [self.header]
        while (last := tested[-1].instructions[-1]).op == op.OpBranch and blocks[last.id(0)] not in tested:
            tested.append(blocks[last.id(0)])
        return tested

    def protect(self, merge: Instruction) -> None:
        """Compute the values of the header again after the loop; if that fails, do not unroll the loop."""
        values = {
            inst.result_id: inst
            for inst in _instructions(self.tested)
            if inst.result_id and inst.op != op.OpPhi and inst.op not in ACCESS_CHAINS
        }
        used = [number for inst in _instructions(self.outside) for number in used_ids(inst)]
        needed = [number for number in dict.fromkeys(used) if number in values]
        if self._writes_variables() or not self._repeat(needed, values):
            merge.operands[2] = merge.id(2) & ~LoopControl.Unroll

    def _writes_variables(self) -> bool:
        """Return whether the header may change a variable in memory that is read after the loop."""
        root = self.memory.root
        read = {root(inst.id(0)) for inst in _instructions(self.outside) if inst.op == op.OpLoad}
        for inst in _instructions(self.outside):
            if inst.op == op.OpFunctionCall:
                read.update(map(root, used_ids(inst)))
        return any(
            (inst.op == op.OpFunctionCall and inst.id(0) in self.memory.writers)
            or (inst.op == op.OpStore and (root(inst.id(0)) in read or root(inst.id(0)) in self.memory.shared))
            for inst in _instructions(self.tested)
        )

    def _repeat(self, needed: list[int], values: dict[int, Instruction]) -> bool:
        """Compute values again in the merge block, and use the copies outside of the loop; return False if that fails.

        It fails if the merge block is reached by several ways, or for a value that cannot be computed again.
        """
        if not needed:
            return True
        end = next(block for block in self.outside if block.label == self.end)
        if len(self.before_end) != 1 or any(inst.op == op.OpPhi for inst in end.instructions):
            return False
        order: dict[int, None] = {}
        if not all(self._visit(number, values, order) for number in needed):
            return False
        copies = {number: self.module.bound + n for n, number in enumerate(order)}
        self.module.bound += len(copies)
        annotations = self.module.annotations
        annotations += [
            renamed(inst, copies) for inst in annotations if inst.op == op.OpDecorate and uses(inst, copies)
        ]
        for inst in _instructions(self.outside):
            if inst.op == op.OpSwitch:
                inst.operands[0] = copies.get(inst.id(0), inst.id(0))
            else:
                rename(inst, copies)
        end.instructions[:0] = [renamed(values[number], copies) for number in order]
        return True

    def _visit(self, number: int, values: dict[int, Instruction], order: dict[int, None]) -> bool:
        """Append a value of the header after those it is computed from; return False if one cannot be repeated."""
        if number not in values or number in order:
            return True
        inst = values[number]
        if inst.op not in _REPEATABLE or not all(self._visit(each, values, order) for each in used_ids(inst)):
            return False
        order[number] = None
        return True
