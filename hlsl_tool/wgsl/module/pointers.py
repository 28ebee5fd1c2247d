"""Find the uses of a function's variables and pointer parameters."""

from __future__ import annotations

from typing import NamedTuple

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.cfg import dominators, predecessors_of, reverse_postorder, successors_by_label
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS
from hlsl_tool.spirv.analysis.uses import is_non_semantic, used_ids
from hlsl_tool.spirv.enums import StorageClass
from hlsl_tool.spirv.ir import Block, Function, Instruction
from hlsl_tool.wgsl.module.view import View


class Spot(NamedTuple):
    """The position of an instruction in a function: its block, and its index in the block."""

    block: int
    place: int
    inst: Instruction


class Passed(NamedTuple):
    """A call that passes a pointer as an argument."""

    spot: Spot
    argument: int
    whole: bool
    """Whether the pointer is to the variable, not to a part of it."""


@dataclass(slots=True)
class Local:
    """A local variable or pointer parameter of a function, with its uses."""

    definition: Instruction
    stores: list[Spot] = field(default_factory=list)
    """Stores to the whole variable."""
    reads: list[Spot] = field(default_factory=list)
    """Loads of the variable or of a part of it."""
    passed: list[Passed] = field(default_factory=list)
    changed: bool = False
    """Whether there are stores to a part of it."""
    computed: bool = False
    """Whether an access chain into it has a computed index, or a constant one beyond the end."""
    escapes: bool = False
    """Whether there is any other use."""

    @property
    def is_parameter(self) -> bool:
        return self.definition.op == op.OpFunctionParameter


Path = tuple[int, list[int]]
"""(variable, constant indices) of a pointer."""


class Locals:
    """All local variables and pointers of one function."""

    def __init__(self, view: View, function: Function) -> None:
        self.view = view
        self.known: dict[int, Local] = {}
        self.paths: dict[int, Path] = {}
        """Access chains."""
        for inst in function.parameters:
            if view.is_pointer(inst.type_id) and view.storage_class(inst.type_id) == StorageClass.Function:
                self.known[inst.result_id] = Local(inst)
        if not self.known and not _has_variables(function):
            return
        for block in function.blocks:
            self._block(block)

    def path(self, pointer: int) -> Path | None:
        """Return (variable, indices) that a pointer leads to; ``None`` for values that are not pointers."""
        if pointer in self.known:
            return pointer, []
        return self.paths.get(pointer)

    def _block(self, block: Block) -> None:
        for index, inst in enumerate(block.instructions):
            if inst.op == op.OpVariable:
                self.known[inst.result_id] = Local(inst)
                if inst.operands[1:]:
                    continue
            elif inst.op in ACCESS_CHAINS:
                self._chain(inst)
            elif inst.op != op.OpExtInst or not is_non_semantic(self.view.sets.get(inst.id(0), "")):
                self._use(Spot(block.label, index, inst))

    def _chain(self, inst: Instruction) -> None:
        path = self.path(inst.id(0))
        if path is None:
            return
        number, indices = path
        type_id = self.view.pointee(self.view.type_of(inst.id(0)))
        own: list[int] = []
        for index in inst.ints()[1:]:
            constant = self.view.constant(index)
            if constant is None or not 0 <= constant < self._parts(type_id):
                self.known[number].computed = True
                constant = 0
            own.append(constant)
            type_id = self.view.element(type_id, constant)
        self.paths[inst.result_id] = number, [*indices, *own]

    def _parts(self, type_id: int) -> int:
        inst = self.view.type(type_id)
        if inst.op == op.OpTypeStruct:
            return len(inst.operands)
        return self.view.length(type_id) if inst.op == op.OpTypeArray else inst.id(1)

    def _use(self, spot: Spot) -> None:
        inst = spot.inst
        operands = used_ids(inst)
        if inst.op == op.OpLoad:
            operands = operands[:1]
        for place, operand in enumerate(operands):
            path = self.path(operand)
            if path is None:
                continue
            local, whole = self.known[path[0]], not path[1]
            if inst.op == op.OpLoad:
                local.reads.append(spot)
            elif inst.op == op.OpStore and place == 0:
                if whole:
                    local.stores.append(spot)
                else:
                    local.changed = True
            elif inst.op == op.OpFunctionCall:
                local.passed.append(Passed(spot, place - 1, whole))
            else:
                local.escapes = True


def _has_variables(function: Function) -> bool:
    return any(inst.op == op.OpVariable for inst in function.blocks[0].instructions)


class Order:
    """The execution order of a function's instructions; dominators are computed on demand."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.entry = function.blocks[0].label
        self.parents: dict[int, int] | None = None

    def before(self, first: Spot, others: list[Spot]) -> bool:
        """Return whether ``first`` is always executed before each of ``others``: it dominates them."""
        return all(self._before(first, other) for other in others)

    def _before(self, first: Spot, other: Spot) -> bool:
        if first.block == other.block:
            return first.place < other.place
        if first.block == self.entry:
            return True
        if self.parents is None:
            following = successors_by_label(self.function.blocks)
            labels = reverse_postorder(self.entry, following)
            self.parents = dominators(labels, predecessors_of({label: following[label] for label in labels}))
        block = other.block
        if block not in self.parents:
            return True  # it never runs
        while block not in (first.block, self.entry):
            block = self.parents[block]
        return block == first.block
