"""Replace quad operations in workgroups whose quads differ from WGSL's.

WGSL forms quads of four consecutive lanes of a subgroup. SPIR-V's execution mode DerivativeGroupQuads forms them of two
by two invocations of a workgroup. Before: quad operations under any execution mode. After: those of workgroups with
several dimensions read the other invocations' values from workgroup memory, between barriers; the rest of the
conversion checks that all invocations execute these.
"""

from __future__ import annotations

from typing import NamedTuple

from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import BuiltIn, ExecutionMode, MemorySemantics, Scope, StorageClass
from hlsl_tool.spirv.grammar.tables import enum_name
from hlsl_tool.spirv.ir import Block, Function, Instruction
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.module.demands import QUADS
from hlsl_tool.wgsl.module.view import View
from hlsl_tool.wgsl.rewrites.additions import Additions
from hlsl_tool.wgsl.rewrites.entries import functions_with

VOTES = {
    op.OpGroupNonUniformQuadAnyKHR: op.OpLogicalOr,
    op.OpGroupNonUniformQuadAllKHR: op.OpLogicalAnd,
}
OPERATIONS = frozenset((op.OpGroupNonUniformQuadSwap, op.OpGroupNonUniformQuadBroadcast, *VOTES))

_SEMANTICS = MemorySemantics.AcquireRelease | MemorySemantics.WorkgroupMemory


class _Quads(NamedTuple):
    """How an entry point forms quads from the invocations of a workgroup."""

    invocations: int
    """The invocations of a workgroup."""
    right: int
    """The bit of an invocation's index in which horizontal neighbours differ."""
    down: int
    """The bit in which vertical neighbours differ."""


def expand_quads(view: View) -> None:
    """Replace the quad operations that would have another meaning in WGSL."""
    users = functions_with(view, lambda inst: inst.op in OPERATIONS)
    by_entry = {entry.id(1): _quads(view, entry) for _, entries in users for entry in entries}
    if not any(by_entry.values()):
        return
    expansion = _Expansion(view)
    for function, entries in users:
        quads = {by_entry[entry.id(1)] for entry in entries}
        if len(quads) > 1:
            raise Unsupported("entry points with different quads share a function with quad operations", function.id)
        chosen = quads.pop()
        if chosen is not None:
            expansion.rewrite(function, chosen, entries)
    view.quad_readers = {function.id for function in expansion.readers.values()}


def _quads(view: View, entry: Instruction) -> _Quads | None:
    """Return how an entry point forms quads; ``None`` if as in WGSL, of four consecutive lanes."""
    modes = {mode.id(1): mode.ints()[2:] for mode in view.execution_modes(entry.id(1))}
    chosen = next((mode for mode in QUADS if mode in modes), None)
    if chosen is None:
        return None
    name = enum_name("ExecutionMode", chosen)
    size = modes.get(ExecutionMode.LocalSize)
    if size is None:
        raise Unsupported(f"WGSL has no execution mode {name} for workgroups whose size is chosen later", entry.id(1))
    width, height, depth = size
    if chosen == ExecutionMode.DerivativeGroupLinearKHR:
        return None if height == depth == 1 else _Quads(width * height * depth, 1, 2)
    if width & (width - 1):
        raise Unsupported(
            f"WGSL has no execution mode {name}, on which quad operations depend, for a workgroup that is {width} wide:"
            " a power of two can be expressed",
            entry.id(1),
        )
    return _Quads(width * height * depth, 1, width)


class _Expansion:
    """Rewrites the functions of one module, and adds the helper functions that they call."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.readers: dict[tuple[int, int], Function] = {}
        """(type of value, invocations of a workgroup) → function that reads the value of another invocation."""
        self.additions = Additions(view)
        self.uint = self.additions.uint
        self.index = 0
        """The input with the index of an invocation in its workgroup."""
        self.lane = 0
        """Id of the invocation's index in its workgroup; 0 until the current block has loaded it."""

    def rewrite(self, function: Function, quads: _Quads, entries: list[Instruction]) -> None:
        """Replace the quad operations of a function, given its quads and the entry points that call it."""
        self.index = self.additions.built_in(entries, BuiltIn.LocalInvocationIndex, self.uint)
        for block in function.blocks:
            if not any(inst.op in OPERATIONS for inst in block.instructions):
                continue
            self.additions.out, self.lane = [], 0
            for inst in block.instructions:
                if inst.op in OPERATIONS:
                    self._expand(inst, quads)
                else:
                    self.additions.out.append(inst)
            block.instructions = self.additions.out

    def _expand(self, inst: Instruction, quads: _Quads) -> None:
        lane = self.lane or self.additions.emit(op.OpLoad, self.uint, self.index)
        self.lane = lane
        self.view.names.setdefault(lane, "lane")
        if inst.op == op.OpGroupNonUniformQuadSwap:
            direction = self.view.constant(inst.id(2))
            if direction not in (0, 1, 2):
                raise Unsupported("WGSL swaps in a known direction", inst.result_id)
            mask = (quads.right, quads.down, quads.right | quads.down)[direction]
            self._read(inst.id(1), lane, self._neighbour(lane, mask), quads, inst)
        elif inst.op == op.OpGroupNonUniformQuadBroadcast:
            self._read(inst.id(1), lane, self._place(lane, inst.id(2), quads), quads, inst)
        else:
            vote = inst.id(0)
            masks = (quads.right, quads.down, quads.right | quads.down)
            for mask in masks:
                other = self._read(inst.id(0), lane, self._neighbour(lane, mask), quads)
                last = inst if mask == masks[-1] else None
                vote = self.additions.emit(VOTES[inst.op], inst.type_id, vote, other, instead=last)

    def _neighbour(self, lane: int, mask: int) -> int:
        return self.additions.emit(op.OpBitwiseXor, self.uint, lane, self.additions.constant(mask))

    def _place(self, lane: int, number: int, quads: _Quads) -> int:
        """Emit the workgroup index of the invocation with number ``number`` in the quad of invocation ``lane``."""
        first = self.additions.emit(
            op.OpBitwiseAnd, self.uint, lane, self.additions.constant(0xFFFFFFFF ^ (quads.right | quads.down))
        )
        constant = self.view.constant(number)
        if constant is not None:
            offset = self.additions.constant((quads.right if constant & 1 else 0) + (quads.down if constant & 2 else 0))
        else:
            one = self.additions.constant(1)
            column = self.additions.emit(op.OpBitwiseAnd, self.uint, number, one)
            row = self.additions.emit(op.OpShiftRightLogical, self.uint, number, one)
            distance = self.additions.emit(op.OpIMul, self.uint, row, self.additions.constant(quads.down))
            offset = self.additions.emit(op.OpIAdd, self.uint, column, distance)
        return self.additions.emit(op.OpIAdd, self.uint, first, offset)

    def _read(self, value: int, lane: int, source: int, quads: _Quads, instead: Instruction | None = None) -> int:
        type_id = self.view.type_of(value)
        key = type_id, quads.invocations
        if key not in self.readers:
            self.readers[key] = self._reader(*key)
        number = self.readers[key].id
        return self.additions.emit(op.OpFunctionCall, type_id, number, value, lane, source, instead=instead)

    def _reader(self, type_id: int, count: int) -> Function:
        """Return a new helper function that stores this invocation's value and returns that of another invocation.

        Values have type ``type_id`` and pass through workgroup memory, which has room for ``count`` invocations.
        """
        view = self.view
        array = self.additions.type(op.OpTypeArray, type_id, self.additions.constant(count))
        memory = self.additions.add(
            op.OpVariable, self.additions.pointer(StorageClass.Workgroup, array), StorageClass.Workgroup
        )
        view.names[memory] = "values_of_quads"
        element = self.additions.pointer(StorageClass.Workgroup, type_id)
        number = view.fresh()
        signature = self.additions.type(op.OpTypeFunction, type_id, type_id, self.uint, self.uint)
        parameters = [
            Instruction(op.OpFunctionParameter, kind, view.fresh(), []) for kind in (type_id, self.uint, self.uint)
        ]
        for parameter, name in zip(parameters, ("value", "lane", "source"), strict=True):
            view.names[parameter.result_id] = name
        value, lane, source = (parameter.result_id for parameter in parameters)
        view.names[number] = "read_quad"
        workgroup, semantics = self.additions.constant(Scope.Workgroup), self.additions.constant(_SEMANTICS)
        outer, self.additions.out = self.additions.out, []
        target = self.additions.emit(op.OpAccessChain, element, memory, lane)
        self.additions.out.append(Instruction(op.OpStore, 0, 0, [target, value]))
        self.additions.out.append(Instruction(op.OpControlBarrier, 0, 0, [workgroup, workgroup, semantics]))
        result = self.additions.emit(op.OpLoad, type_id, self.additions.emit(op.OpAccessChain, element, memory, source))
        view.names[result] = "result"
        self.additions.out.append(Instruction(op.OpControlBarrier, 0, 0, [workgroup, workgroup, semantics]))
        self.additions.out.append(Instruction(op.OpReturnValue, 0, 0, [result]))
        body, self.additions.out = self.additions.out, outer
        definition = Instruction(op.OpFunction, type_id, number, [0, signature])
        function = Function(definition, parameters, [Block(view.fresh(), body)])
        view.add_function(function)
        view.module.functions.append(function)
        return function
