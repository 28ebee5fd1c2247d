"""Data races: accesses of different threads to the same bytes with nothing that orders them.

For each unit of memory (4 bytes, or 1 where smaller numbers are accessed) and each kind of access the tables keep the
lowest and the highest thread since the last barrier of its group, and since the dispatch began.  Two threads are
enough: whichever thread comes next, one of the two is another one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hlsl_tool.base.diagnostics.catalogue import tools as codes
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import (
    Decoration,
    ExecutionMode,
    ImageOperands,
    MemoryAccess,
    MemorySemantics,
    Scope,
)
from hlsl_tool.spirv.ir import Instruction

from ..program.program import Program, Variable
from ..runtime.memory import Access, Buffer
from ..runtime.quads import wide
from ..runtime.state import Registers, State
from ..runtime.values import Array
from .accesses import VERBS, bound_buffers, is_read_only
from .checker import Checker
from .findings import Note, Reporter, Site, here, named_lane
from .names import Names

_CLASSES = {
    "shared": MemorySemantics.WorkgroupMemory,
    "buffer": MemorySemantics.UniformMemory,
    "image": MemorySemantics.ImageMemory,
}
_COHERENT = "coherent"
"""Memory of ``globallycoherent`` resources, which every barrier of the group orders."""
_CONFLICTS = {"read": ("write", "atomic"), "write": ("read", "write", "atomic"), "atomic": ("read", "write")}
_BARRIERS = {
    "shared": "GroupMemoryBarrierWithGroupSync",
    "buffer": "DeviceMemoryBarrierWithGroupSync",
    "image": "DeviceMemoryBarrierWithGroupSync",
}
_PARTIAL = (
    "a write of several components reads and writes the whole vector in SPIR-V; write them one by one if other threads"
    " write the others"
)
_FIELDS = {
    "token": np.int64,  # the number of the group and of the phase, between two barriers, of ``low`` and ``high``
    "barriers": np.int32,  # the number of barriers before the last access, whatever memory they order
    **dict.fromkeys(("low", "high", "low_site", "high_site"), np.int32),
    **dict.fromkeys(("first", "last", "first_site", "last_site"), np.int32),  # as ``low``, since the dispatch began
}
_Record = dict[str, Array]
"""The threads that made one kind of access: field → its value for each unit of a buffer, -1 for none."""
_INTERLOCKS = frozenset(
    value for name, value in vars(ExecutionMode).items() if "Interlock" in name and isinstance(value, int)
)
_NO_THREAD = np.iinfo(np.int32).max


def _add(record: _Record, touched: _Touched, site: int) -> None:
    """Record accesses."""
    units, threads, tokens = touched.units, touched.threads, touched.tokens
    record["barriers"][units] = touched.barriers
    is_new = (record["token"][units] != tokens) | (threads < record["low"][units]) | (threads > record["high"][units])
    if not bool(is_new.any()):
        return
    units, threads, tokens = units[is_new], threads[is_new], tokens[is_new]
    old = record["token"][units] != tokens
    fresh = units[old]
    record["token"][fresh], record["low"][fresh], record["high"][fresh] = tokens[old], _NO_THREAD, -1
    _widen(record, "first", "last", units, threads, site)
    of_group = record["token"][units] == tokens  # several groups may have accessed a unit at once: one of them stays
    _widen(record, "low", "high", units[of_group], threads[of_group], site)


def _widen(record: _Record, low: str, high: str, units: Array, threads: Array, site: int) -> None:
    """Extend ranges of threads, which are in ascending order for each unit."""
    least, most = record[low], record[high]
    before = least[units]
    before[before < 0] = _NO_THREAD
    least[units[::-1]] = np.minimum(before, threads)[::-1]  # the first thread of a unit is assigned last, and stays
    most[units] = np.maximum(most[units], threads)
    record[f"{low}_site"][units[least[units] == threads]] = site
    record[f"{high}_site"][units[most[units] == threads]] = site


@dataclass(slots=True)
class _Shadow:
    """The records of a buffer."""

    buffer: Buffer
    shift: int
    """The binary logarithm of the size of a unit."""
    records: dict[str, _Record] = field(default_factory=dict)
    """Kind of access → its record."""

    def record(self, kind: str) -> _Record:
        """Return the record of a kind of access."""
        if kind not in self.records:
            units = (self.buffer.size >> self.shift) + 1
            self.records[kind] = {name: np.full(units, -1, dtype) for name, dtype in _FIELDS.items()}
        return self.records[kind]

    def refine(self, shift: int) -> None:
        """Split units so that numbers of a size have units of their own."""
        if shift < self.shift:
            parts = 1 << self.shift - shift
            for record in self.records.values():
                record.update({name: np.repeat(values, parts) for name, values in record.items()})
            self.shift = shift


@dataclass(slots=True)
class _Batch:
    """Lanes that ran together: the number of the first, and the names of all."""

    start: int
    count: int
    extra: dict[str, Any]


class Races(Checker):
    """Finds races between threads of a group and between groups."""

    def __init__(self, reporter: Reporter) -> None:
        super().__init__(reporter)
        self._program: Program | None = None
        self._batches: list[_Batch] = []
        self._shadows: dict[int, _Shadow] = {}
        self._shared: dict[int, Buffer] = {}
        self._partial: set[int] = set()
        """The numbers of sites that write some components of a vector."""
        self._ignored: set[int] = set()
        self._coherent: set[int] = set()
        self._tokens: dict[str, Array] = {}
        """Kind of memory → the group of each lane, and the number of barriers that order this memory."""
        self._fenced: dict[str, Array] = {}
        """Kind of memory → the lanes with a fence since their last access: any barrier of the group orders it."""
        self._barriers: Array = np.zeros(0, np.int64)
        self._start = 0
        self._group_size = 1
        self.before[op.OpControlBarrier] = self._barrier
        self.before[op.OpMemoryBarrier] = self._fence

    def enter(self, state: State, registers: Registers) -> None:
        """Number the lanes; forget the accesses of an earlier dispatch, and of groups whose memory is gone."""
        shape = state.shape
        groups = state.extra.get("groups")
        if groups is None or not bool(groups[:, 0].any()) or state.program is not self._program:
            self._shadows.clear()
            self._batches.clear()
            self._start = 0
        elif self._batches:
            self._start += self._batches[-1].count
        self._program = state.program
        self._group_size = 1 if groups is None else shape.lanes // shape.groups
        self._batches.append(_Batch(self._start, shape.lanes, state.extra))
        first = self._start // self._group_size
        tokens = (first + shape.group_of_lane.astype(np.int64)) << 24
        self._tokens = {name: tokens.copy() for name in (*_CLASSES, _COHERENT)}
        self._fenced = {name: np.ones(shape.lanes, np.bool_) for name in _CLASSES}
        self._barriers = np.zeros(shape.lanes, np.int64)
        buffers = bound_buffers(state, registers, is_read_only)
        self._ignored = buffers[True] - buffers[False]
        if _INTERLOCKS & state.program.modes.keys():
            self._ignored |= buffers[False]
        seen = _seen_by_groups(self.names)
        self._coherent = bound_buffers(
            state, registers, lambda program, variable: variable.id in seen or _is_coherent(program, variable)
        )[True]
        for number in self._shared:
            self._shadows.pop(number, None)
        self._shared = {id(item): item for item in state.private.values() if isinstance(item, Buffer)}

    def _barrier(self, state: State, _: Registers, inst: Instruction) -> None:
        execution, _scope, semantics = inst.ints()
        constant = state.program.context.constant
        if constant(execution) != Scope.Workgroup:
            return
        ordered, lanes = constant(semantics) or 0, state.mask.lanes
        groups = state.shape.group_of_lane
        inside = np.zeros(state.shape.groups, np.bool_)
        inside[groups[lanes]] = True
        self._barriers += inside[groups]
        self._tokens[_COHERENT] += inside[groups]
        for name, bit in _CLASSES.items():
            fenced = self._fenced[name]
            complete = inside.copy()
            if not (ordered & bit or (name == "shared" and state.program.shares_outputs)):
                complete[groups[lanes[~fenced[lanes]]]] = False
            self._tokens[name] += complete[groups]

    def _fence(self, state: State, _: Registers, inst: Instruction) -> None:
        """Record the lanes that order their accesses without waiting for others, as ``DeviceMemoryBarrier`` does."""
        ordered = state.program.context.constant(inst.id(1)) or 0
        for name, bit in _CLASSES.items():
            if ordered & bit:
                self._fenced[name] |= state.mask.bits

    # ---- accesses

    def access(self, state: State, access: Access) -> None:
        """Compare an access with those before, and record it."""
        buffer = access.buffer
        if access.kind == "pointer" or not access.mask.count or not buffer.size or id(buffer) in self._ignored:
            return
        numbers = _numbers(access, state.shape.lanes)
        if not numbers.offsets.size:
            return
        shadow = self._shadow(access)
        kind = "shared" if id(buffer) in self._shared else "image" if access.image is not None else "buffer"
        if access.kind == "write":
            self._check_each_other(state, access, numbers, kind)
        parts = 1 << max(0, access.size.bit_length() - 1 - shadow.shift)
        units = ((numbers.offsets >> shadow.shift)[:, None] + np.arange(parts)).reshape(-1)
        lanes = np.repeat(numbers.lanes, parts)
        tokens = self._tokens[kind if id(buffer) not in self._coherent else _COHERENT][lanes]
        touched = _Touched(units, lanes, self._start + lanes, tokens, self._barriers[lanes], kind)
        self._fenced[kind][lanes] = False
        site = self.reporter.number(state)
        if id(state.running.instruction) in self.names.partial_writes:
            self._partial.add(site)
        for other in _CONFLICTS[access.kind]:
            record = shadow.records.get(other)
            if record is not None:
                hits = self._conflicts(record, touched, self._is_across(kind, buffer))
                if access.kind == "write" and other != "atomic":
                    hits &= np.repeat(_changes(access, numbers), parts)
                self._report(state, access, other, record, touched, hits)
        _add(shadow.record(access.kind), touched, site)

    def _shadow(self, access: Access) -> _Shadow:
        shift = max(0, access.size.bit_length() - 1)
        shadow = self._shadows.setdefault(id(access.buffer), _Shadow(access.buffer, min(shift, 2)))
        shadow.refine(shift)
        return shadow

    def _is_across(self, kind: str, buffer: Buffer) -> bool:
        """Return whether accesses of different groups may be a race."""
        return kind != "shared" and self._group_size > 1 and id(buffer) not in self._coherent

    def _conflicts(self, record: _Record, touched: _Touched, across: bool) -> Array:
        """Return which accesses are unordered to a recorded one of another thread."""
        units, threads = touched.units, touched.threads
        is_other = (record["low"][units] != threads) | (record["high"][units] != threads)
        hits: Array = (record["token"][units] == touched.tokens) & is_other
        if across:
            group, size = threads // self._group_size, self._group_size
            first, last = record["first"][units], record["last"][units]
            hits |= (last >= 0) & ((first // size != group) | (last // size != group))
        return hits

    def _report(
        self, state: State, access: Access, other: str, record: _Record, touched: _Touched, hits: Array
    ) -> None:
        if not bool(hits.any()):
            return
        at = int(np.argmax(hits))
        known = {name: values[touched.units[at]] for name, values in record.items()}
        thread = touched.threads[at]
        in_phase = known["token"] == touched.tokens[at]
        names = ("low", "high", "first", "last") if in_phase else ("first", "last")
        name = next(name for name in names if known[name] != thread)
        number = int(known[f"{name}_site"])
        site, hint = self.reporter.sites[number], None
        if self._partial & {number, self.reporter.number(state)}:
            hint = _PARTIAL
        elif in_phase and known["barriers"] != touched.barriers[at]:
            hint = f"the barrier between them does not order this memory: {_BARRIERS[touched.kind]}()"
        self._record(state, access, int(touched.lanes[at]), self._named(int(known[name])), other, site, hint)

    def _record(
        self, state: State, access: Access, lane: int, other: str, verb: str, site: Site, hint: str | None = None
    ) -> None:
        texts: dict[str, Any] = {
            "verb": VERBS[access.kind],
            "what": self.accessed(state, access),
            "other_verb": VERBS[verb],
        }
        notes = (Note(f"{other} {VERBS[verb]} it here", site),)
        self.reporter.record(codes.RACE, state, lane, notes=notes, hint=hint, other=other, **texts)

    def _named(self, thread: int) -> str:
        batch = next(b for b in self._batches if b.start <= thread < b.start + b.count)
        return str(named_lane(batch.extra, thread - batch.start))

    def _check_each_other(self, state: State, access: Access, numbers: _Numbers, kind: str) -> None:
        """Report threads that write different values to one place by the same instruction."""
        order = np.argsort(numbers.offsets, kind="stable")
        offsets, values, lanes = numbers.offsets[order], numbers.values[order], numbers.lanes[order]
        hits = (offsets[1:] == offsets[:-1]) & (values[1:] != values[:-1]) & (lanes[1:] != lanes[:-1])
        if not self._is_across(kind, access.buffer) and self._group_size > 1:
            groups = state.shape.group_of_lane
            hits &= groups[lanes[1:]] == groups[lanes[:-1]]
        if bool(hits.any()):
            at = int(np.argmax(hits))
            other = self._named(self._start + int(lanes[at]))
            self._record(state, access, int(lanes[at + 1]), other, "write", here(state))


@dataclass(slots=True)
class _Touched:
    """Accesses to units: the lane, and its number and phase in the tables."""

    units: Array
    lanes: Array
    threads: Array
    tokens: Array
    barriers: Array
    kind: str
    """``shared``, ``buffer`` or ``image``."""


@dataclass(slots=True)
class _Numbers:
    """The numbers that lanes access within bounds: offset, lane, and the bits that are written."""

    offsets: Array
    lanes: Array
    values: Array


def _numbers(access: Access, total: int) -> _Numbers:
    chosen = access.mask.lanes
    offsets = wide(access.offsets, total)[..., chosen]
    inside = ~wide(access.outside, total)[..., chosen]
    inside = np.broadcast_to(inside, offsets.shape).reshape(-1)
    lanes = np.broadcast_to(chosen, offsets.shape).reshape(-1)[inside]
    values = np.zeros(0, np.uint8)
    if access.value is not None:
        raw = access.value.astype(np.uint32) if access.value.dtype == np.bool_ else access.value
        raw = np.ascontiguousarray(raw).view(f"u{access.size}")
        values = np.broadcast_to(wide(raw, total)[..., chosen], offsets.shape).reshape(-1)[inside]
    return _Numbers(offsets.reshape(-1)[inside], lanes, values)


def _changes(access: Access, numbers: _Numbers) -> Array:
    """Return which writes change the content of the memory."""
    if bool((numbers.offsets & access.size - 1).any()):
        return np.ones(numbers.offsets.shape, np.bool_)
    shift = access.size.bit_length() - 1
    changed: Array = access.buffer.words(shift)[numbers.offsets >> shift] != numbers.values
    return changed


def _is_coherent(program: Program, variable: Variable) -> bool:
    """Return whether a variable is ``globallycoherent``: shaders that use it order accesses of groups by atomics."""
    of = variable.type.innermost
    members = [program.index.member_decorations.get((of.id, number), {}) for number in range(len(of.members))]
    return any(Decoration.Coherent in facts for facts in (variable.decorations, *members))


_ACCESSES = {
    op.OpLoad: (1, MemoryAccess.MakePointerVisible),
    op.OpStore: (2, MemoryAccess.MakePointerAvailable),
    op.OpImageRead: (2, ImageOperands.MakeTexelVisible),
    op.OpImageWrite: (3, ImageOperands.MakeTexelAvailable),
}
"""Opcode → the number of the operand that is a mask, and the bit of an access that other groups see."""


def _seen_by_groups(names: Names) -> set[int]:
    """Return the variables that are accessed as ``globallycoherent`` in Vulkan's memory model."""
    found = set()
    for function in names.functions:
        handles: dict[int, int] = {}
        for inst in function.instructions():
            at, bit = _ACCESSES.get(inst.op, (0, 0))
            if inst.op == op.OpLoad:
                handles[inst.result_id] = inst.id(0)
            if at and len(inst.operands) > at and inst.id(at) & bit:
                found.add(names.root(handles.get(inst.id(0), inst.id(0))))
    return found
