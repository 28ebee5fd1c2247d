"""Undefined values: which numbers of variables and registers were never written, and where the shader depends on them.

Copies of undefined values are no fault: structs are copied whole, and returned half filled.  So the checker follows
them through copies and arithmetic, and reports an undefined value only where it decides what the shader does: at a
branch, an address, a write to a buffer or texture, an atomic, or an output.
"""

from __future__ import annotations

from functools import partial, reduce
from typing import Any

import numpy as np

from hlsl_tool.base.diagnostics.catalogue import tools as codes
from hlsl_tool.base.diagnostics.diagnostic import Code
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ATOMICS, FLOAT_ATOMICS, IMAGE_READS
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.enums import ExecutionModel, StorageClass
from hlsl_tool.spirv.ir import Instruction

from ..instructions.memory import CHAINS
from ..runtime.cells import CellPointer
from ..runtime.code import Edge
from ..runtime.masks import Mask
from ..runtime.memory import Access, Buffer
from ..runtime.state import Registers, State
from ..runtime.values import Array, Value, map_leaves, zeros
from .checker import EACH, Checker
from .findings import Note, Reporter, Site, first, here
from .shadows import (
    MOVES,
    Undefined,
    combined,
    defined,
    is_any,
    last_stored,
    leaves_of,
    mark,
    mark_written,
    moved,
    shadow_of,
    undefined_lanes,
    wholly_undefined,
)

_DECIDING = (
    IMAGE_READS
    | ATOMICS
    | FLOAT_ATOMICS
    | {
        op.OpImageSparseTexelsResident,
        op.OpImageTexelPointer,
        op.OpImageWrite,
        op.OpBranchConditional,
        op.OpSwitch,
        op.OpSetMeshOutputsEXT,
        op.OpEmitMeshTasksEXT,
        *CHAINS,
    }
)
"""Instructions whose operands have to be defined."""


class Definedness(Checker):
    """Follows undefined values."""

    def __init__(self, reporter: Reporter) -> None:
        super().__init__(reporter)
        self._values: dict[int, Undefined] = {}
        """Result id → undefined value, of those that are undefined in some lane."""
        self._fresh = 0
        self._written: dict[int, Array] = {}
        """Identity of a buffer of shared memory → which bytes were written."""
        self._reads: list[Array] = []
        self._stored: list[Array] | None = None
        self._place: tuple[Site, str]
        """The last read of shared memory."""
        self._loaded = 0
        self.before[EACH] = self._before
        self._handlers = {
            op.OpVariable: self._variable,
            op.OpLoad: self._load,
            op.OpStore: self._store,
            op.OpUndef: self._undef,
            op.OpFunctionCall: self._call,
            op.OpReturn: self._return,
            op.OpReturnValue: self._return_value,
            op.OpExtInst: self._extended,
            op.OpCopyMemory: lambda state, r, inst: self._define(state, r, inst.ints()[:1]),
            # a whole word is defined if one of its bit fields is
            op.OpBitFieldInsert: lambda _, __, inst: self._copy(inst.result_id, self._values.get(inst.id(1))),
            # other shaders write the payload
            **dict.fromkeys((op.OpTraceRayKHR, op.OpExecuteCallableKHR), self._define_last),
        }
        self._operands: dict[int, tuple[int, ...]] = {}

    def enter(self, state: State, registers: Registers) -> None:
        """Mark the outputs and the shared memory as undefined."""
        self._values.clear()
        self._operands.clear()
        self._fresh = self._loaded = 0
        self._written = {}
        state.follow = lambda edge, mask, registers: self._arrive(state, edge, mask, registers)
        for variable in state.program.variables:
            pointer = registers[variable.id]
            item = state.private.get(variable.id)
            if isinstance(item, Buffer):
                is_known = bool(variable.initial) or variable.storage != StorageClass.Workgroup
                self._written[id(item)] = np.full(item.size, is_known)
            elif variable.storage == StorageClass.Output and not variable.initial and isinstance(pointer, CellPointer):
                mark(pointer.node)
        for inst in state.program.module.globals:
            if inst.op == op.OpUndef and isinstance(registers[inst.result_id], (np.ndarray, list)):
                self._values[inst.result_id] = wholly_undefined(registers[inst.result_id])

    # ---- instructions

    def _before(self, state: State, registers: Registers, inst: Instruction) -> None:
        if self._fresh:
            mark(registers[self._fresh].node)
            self._fresh = 0
        if self._loaded:
            self._finish_load(state, registers)
        self._stored = None
        handler = self._handlers.get(inst.op)
        if handler is not None:
            handler(state, registers, inst)
        elif inst.op in _DECIDING:
            self._decide(state, registers, inst)
        elif self._values and inst.result_id:
            self._compute(state, registers, inst)

    def _set(self, state: State, number: int, bits: Value, origin: Undefined) -> None:
        """Store which numbers of a result are undefined in the lanes of the mask."""
        active = state.mask.bits
        masked = map_leaves(lambda leaf: leaf & active, bits)
        if is_any(masked):
            self._values[number] = replace(origin, bits=masked)
        else:
            self._values.pop(number, None)

    def _used(self, inst: Instruction) -> tuple[int, ...]:
        ids = self._operands.get(id(inst))
        if ids is None:
            ids = self._operands[id(inst)] = tuple(used_ids(inst))
        return ids

    def _compute(self, state: State, registers: Registers, inst: Instruction) -> None:
        """Let the result be undefined where operands are."""
        given = [self._values[number] for number in self._used(inst) if number in self._values]
        if not given:
            self._values.pop(inst.result_id, None)
        elif inst.op in MOVES:
            self._set(state, inst.result_id, moved(state, registers, inst, self._values), given[0])
        else:
            self._set(state, inst.result_id, combined(state, inst, given), replace(given[0], variable=0))

    def _decide(self, state: State, registers: Registers, inst: Instruction) -> None:
        if self._values:
            for number in self._used(inst):
                if number in self._values:
                    self._report(state, self._values[number])
            self._values.pop(inst.result_id, None)

    def _report(self, state: State, value: Undefined, code: Code = codes.UNINITIALIZED, **fields: Any) -> None:
        lane = first(undefined_lanes(value.bits, state.shape.lanes) & state.mask.bits)
        if lane is None:
            return
        use = here(state)
        site = value.origin or use
        here_too = site == use or _line(site) == _line(use)
        notes = () if here_too else (Note("the result depends on it here", use),)
        fields = fields or {"what": value.what}
        self.reporter.record(code, state, lane, site=site, notes=notes, **fields)

    # ---- variables

    def _variable(self, _: State, registers: Registers, inst: Instruction) -> None:
        if inst.id(0) == StorageClass.Function and len(inst.operands) == 1:
            self._fresh = inst.result_id

    def _load(self, state: State, registers: Registers, inst: Instruction) -> None:
        result, number = inst.result_id, inst.id(0)
        self._values.pop(result, None)
        pointer = registers[number]
        shadow = shadow_of(pointer)
        if shadow is not None and is_any(shadow.node):
            root = id(leaves_of(shadow.node)[0])
            read = Undefined(None, here(state), self.names.quoted(number), root)
            self._set(state, result, shadow.load(), last_stored(shadow) or read)
        elif isinstance(pointer, np.ndarray):
            if number in self._values:
                self._report(state, self._values[number])
            self._loaded, self._reads = result, []

    def _finish_load(self, state: State, registers: Registers) -> None:
        """Combine the undefined bits of the numbers that a load has read from shared memory."""
        result, self._loaded = self._loaded, 0
        reads = self._reads
        if is_any(reads) and len(leaves_of(registers[result])) == len(reads):
            rest = iter(reads)
            bits = map_leaves(lambda _: next(rest), registers[result])
            self._set(state, result, bits, Undefined(None, *self._place))

    def access(self, state: State, access: Access) -> None:
        """Follow what shared memory has."""
        written = self._written.get(id(access.buffer))
        if written is None or access.kind == "pointer":
            self._reads.append(np.zeros(1, np.bool_))
            return
        offsets = np.minimum(access.offsets, written.size - 1)
        if access.kind != "write":
            unknown = ~written[offsets]
            self._place = (here(state), self.accessed(state, access))
            if access.kind == "atomic":
                self._report(state, Undefined(unknown & access.mask.bits, *self._place))
                mark_written(written, offsets, np.zeros(1, np.bool_), access)
            else:
                self._reads.append(unknown)
        else:
            leaf = self._stored.pop(0) if self._stored else np.zeros(1, np.bool_)
            mark_written(written, offsets, leaf, access)

    def _store(self, state: State, registers: Registers, inst: Instruction) -> None:
        number, value = inst.ints()[:2]
        undefined, pointer = self._values.get(value), registers[number]
        if isinstance(pointer, CellPointer):
            shadow = shadow_of(pointer)
            if shadow is None and undefined is not None:
                mark(pointer.node, is_undefined=False)
                shadow = shadow_of(pointer)
            if shadow is not None:
                bits = defined(registers[value]) if undefined is None else undefined.bits
                shadow.store(bits, state.mask)
                if undefined is not None and undefined.variable != id(leaves_of(shadow.node)[0]):
                    map_leaves(lambda cell: setattr(cell, "last", undefined), shadow.node)
            return
        if number in self._values:
            self._report(state, self._values[number])
        if undefined is not None:
            if state.program.context.type_of(number).storage == StorageClass.Workgroup:
                self._stored = leaves_of(undefined.bits)
            else:
                self._report(state, undefined)

    def _extended(self, state: State, registers: Registers, inst: Instruction) -> None:
        self._compute(state, registers, inst)
        self._define(state, registers, inst.ints()[2:])

    def _define_last(self, state: State, registers: Registers, inst: Instruction) -> None:
        self._define(state, registers, inst.ints()[-1:])

    def _define(self, state: State, registers: Registers, pointers: list[int]) -> None:
        """Mark variables as written by an instruction that has pointers to them."""
        for number in pointers:
            shadow = shadow_of(registers[number]) if number < len(registers) else None
            if shadow is not None:
                shadow.store(defined(shadow.load()), state.mask)

    def _undef(self, state: State, registers: Registers, inst: Instruction) -> None:
        value = wholly_undefined(zeros(state.program.context.types.of(inst)))
        self._set(state, inst.result_id, value.bits, value)

    # ---- calls, and blocks with phis

    def _call(self, state: State, _: Registers, inst: Instruction) -> None:
        function = state.program.context.functions[inst.id(0)]
        for parameter, argument in zip(function.parameters, inst.ints()[1:], strict=True):
            self._copy(parameter, self._values.get(argument))
        self._values.pop(inst.result_id, None)

    def _copy(self, number: int, undefined: Undefined | None) -> None:
        if undefined is None:
            self._values.pop(number, None)
        else:
            self._values[number] = undefined

    def _return_value(self, state: State, _: Registers, inst: Instruction) -> None:
        undefined, caller = self._values.get(inst.id(0)), state.running.caller
        if undefined is None or caller is None:
            return
        result, active = caller.instruction.result_id, state.mask.bits
        bits = map_leaves(lambda leaf: leaf & active, undefined.bits)
        if result in self._values:
            bits = map_leaves(np.logical_or, bits, self._values[result].bits)
        self._values[result] = replace(undefined, bits=bits)

    def _return(self, state: State, registers: Registers, _: Instruction) -> None:
        """Report the outputs that the lanes of an entry point have not written."""
        if state.running.caller is not None or state.program.model == ExecutionModel.Geometry:
            return
        for variable in state.program.variables:
            shadow = shadow_of(registers[variable.id]) if variable.storage == StorageClass.Output else None
            if shadow is not None and is_any(shadow.node):
                last, what = last_stored(shadow), f"`{variable.name.removeprefix('out.var.')}`"
                unwritten = Undefined(shadow.load(), last.origin if last else None, what)
                self._report(state, unwritten, codes.OUTPUT_UNWRITTEN, what=what)

    def _arrive(self, state: State, edge: Edge, mask: Mask, registers: Registers) -> None:
        """Give phis the definedness of their values."""
        moves = [(phi, self._values.get(source), self._values.get(phi)) for phi, source, _ in edge.moves]
        for phi, new, old in moves:
            given = [(value, bits) for value, bits in ((new, mask.bits), (old, ~mask.bits)) if value is not None]
            if given:
                parts = [map_leaves(partial(np.logical_and, bits), value.bits) for value, bits in given]
                merged = map_leaves(lambda *leaves: reduce(np.logical_or, leaves), *parts)
                self._copy(phi, replace(given[0][0], bits=merged) if is_any(merged) else None)


def _line(site: Site) -> tuple[str, int] | None:
    return None if site.position is None else (site.position.file, site.position.line)
