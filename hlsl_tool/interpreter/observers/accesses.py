"""Checks of single accesses: bounds, alignment, formats of atomics, writes to what is read-only."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlsl_tool.base.diagnostics.catalogue import tools as codes
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS
from hlsl_tool.spirv.enums import Decoration, StorageClass
from hlsl_tool.spirv.ir import Instruction

from ..instructions.memory import UNTYPED_CHAINS, BufferTable, split
from ..program.program import Program, Variable
from ..program.resources import storage_of
from ..runtime.handles import HandleTable
from ..runtime.memory import OFFSET_BITS, Access, Buffer
from ..runtime.quads import wide
from ..runtime.state import Registers, State
from ..runtime.values import as_index
from .checker import Checker
from .findings import Reporter, first, lanes_with

VERBS = {"read": "reads", "write": "writes", "atomic": "changes", "pointer": "changes"}


class Accesses(Checker):
    """Checks indices and addresses."""

    def __init__(self, reporter: Reporter) -> None:
        super().__init__(reporter)
        self._read_only: set[int] = set()
        if reporter.wants(codes.INDEX_OUTSIDE, codes.RESOURCE_OUTSIDE):
            self.before.update(dict.fromkeys((*ACCESS_CHAINS, *UNTYPED_CHAINS), self._chain))
        if reporter.wants(codes.MISALIGNED):
            self.before[op.OpShiftRightLogical] = self._byte_address

    def enter(self, state: State, registers: Registers) -> None:
        buffers = bound_buffers(state, registers, is_read_only)
        self._read_only = buffers[True] - buffers[False]

    # ---- indices

    def _chain(self, state: State, registers: Registers, inst: Instruction) -> None:
        base, _, _ = split(inst)
        suspects = self.reporter.suspects
        (suspects.add if base in suspects else suspects.discard)(inst.result_id)
        sizes = list(getattr(registers[base], "sizes", ()))
        for number, whole, _ in self.names.steps(inst):
            code = codes.INDEX_OUTSIDE
            length = whole.length
            if sizes:
                code, length = codes.RESOURCE_OUTSIDE, sizes.pop(0)
            if not length or whole.kind == "struct":
                continue
            index, what = as_index(registers[number]), self.names.quoted(base, "an array")
            if self.check(code, state, (index < 0) | (index >= length), index=index, what=what, length=length):
                suspects.add(inst.result_id)

    def _byte_address(self, state: State, registers: Registers, inst: Instruction) -> None:
        size, address = self.names.byte_addresses.get(inst.result_id), registers[inst.id(0)]
        if size is not None:
            misaligned = address & size - 1 != 0
            self.check(codes.MISALIGNED, state, misaligned, offset=address, what="the buffer", size=size)

    # ---- memory

    def access(self, state: State, access: Access) -> None:
        """Record an access out of bounds, a write to what is read-only, a misaligned address."""
        if access.kind == "pointer":
            self._check_format(state, access)
        outside = access.outside
        lane = first(lanes_with(outside, access.mask))
        if lane is not None:
            self._record_outside(state, access, lane, outside)
        if access.kind != "read" and id(access.buffer) in self._read_only:
            lane = int(access.mask.lanes[0])
            what = self.accessed(state, access)
            self.reporter.record(codes.READ_ONLY, state, lane, verb=VERBS[access.kind], what=what)
        if access.image is None and access.size > 1:
            self._check_alignment(state, access)

    def _record_outside(self, state: State, access: Access, lane: int, outside: Any) -> None:
        verb, what = VERBS[access.kind], self.accessed(state, access)
        if access.image is not None:
            texel, sides = _texel(access, state, lane), _size(access.image)
            self.reporter.record(codes.TEXEL_OUTSIDE, state, lane, verb=verb, texel=texel, what=what, size=sides)
            return
        lanes = state.shape.lanes
        offsets = wide(access.offsets, lanes)[..., lane].reshape(-1)
        offset = int(offsets[np.argmax(wide(outside, lanes)[..., lane].reshape(-1))])
        buffer = access.buffer
        if offset >> OFFSET_BITS - 1:  # in front of a buffer is the end of the one before
            buffer = state.memory.at((buffer.address >> OFFSET_BITS) + 1)
            offset -= 1 << OFFSET_BITS
        storage = self._storage(state)
        if storage == StorageClass.PhysicalStorageBuffer:
            address = f"0x{buffer.address + offset:x}"
            self.reporter.record(codes.WILD_POINTER, state, lane, verb=verb, address=address)
        elif storage != StorageClass.Image:  # the pointer to the texel was reported
            code = codes.READ_OUTSIDE if access.kind == "read" else codes.WRITE_OUTSIDE
            self.reporter.record(code, state, lane, verb=verb, offset=offset, what=what, size=buffer.size)

    def _storage(self, state: State) -> int:
        """Return the storage class of the pointer of the current instruction."""
        storage: int = state.program.context.type_of(state.running.instruction.id(0)).storage
        return storage

    def _check_alignment(self, state: State, access: Access) -> None:
        lane = first(lanes_with(access.offsets & access.size - 1 != 0, access.mask))
        if lane is not None and self._storage(state) == StorageClass.PhysicalStorageBuffer:
            offset = int(wide(access.offsets, state.shape.lanes)[..., lane].min())
            what = self.accessed(state, access)
            self.reporter.record(codes.MISALIGNED, state, lane, offset=offset, what=what, size=access.size)

    def _check_format(self, state: State, access: Access) -> None:
        of = state.program.context.types.of(state.running.instruction).element
        if of is None:  # a pointer without a type
            return
        form = access.image.format
        bits = 8 * of.dtype.itemsize
        if form.size * 8 != bits or form.count != 1:
            what = self.accessed(state, access)
            lane = int(access.mask.lanes[0]) if access.mask.count else 0
            self.reporter.record(codes.ATOMIC_FORMAT, state, lane, bits=bits, what=what, format=form.name)


def _size(image: Any) -> str:
    sides = [*image.size, image.layers]
    while len(sides) > 1 and sides[-1] == 1:
        sides.pop()
    levels = f", {image.levels} mip levels" if image.levels > 1 else ""
    return " × ".join(map(str, sides)) + levels


def _texel(access: Access, state: State, lane: int) -> str:
    place, image = access.place, access.image
    count = max((number for number, side in enumerate(image.size, 1) if side > 1), default=1)
    axes = [place.x, place.y, place.z][:count]
    if image.layers > 1:
        axes.append(place.layer)
    text = ", ".join(str(int(wide(axis, state.shape.lanes)[lane])) for axis in axes)
    level = int(wide(place.level, state.shape.lanes)[lane])
    return f"{text}; mip level {level}" if level else text


def is_read_only(program: Program, variable: Variable) -> bool:
    """Return whether shaders may only read a buffer by a variable."""
    of = variable.type.innermost
    if variable.storage == StorageClass.UniformConstant:
        return of.image is None or of.image.sampled == 1
    members = [program.index.member_decorations.get((of.id, number), {}) for number in range(len(of.members))]
    if variable.storage == StorageClass.Uniform and Decoration.Block in program.index.decorations.get(of.id, {}):
        return True
    return Decoration.NonWritable in variable.decorations or (
        bool(members) and all(Decoration.NonWritable in member for member in members)
    )


def bound_buffers(state: State, registers: Registers, test: Any) -> dict[bool, set[int]]:
    """Return whether a test of (program, variable) holds → the identities of the buffers of these variables."""
    found: dict[bool, set[int]] = {True: set(), False: set()}
    for variable in state.program.variables:
        if variable.place is not None:
            found[test(state.program, variable)] |= {id(b) for b in _buffers(state, registers[variable.id])}
    return found


def _buffers(state: State, pointer: Any) -> list[Buffer]:
    """Return the buffers to which the pointer of a global variable leads."""
    if isinstance(pointer, HandleTable) and not isinstance(pointer, BufferTable):
        return [storage for item in pointer.objects if (storage := storage_of(item)) is not None]
    addresses = pointer.objects if isinstance(pointer, BufferTable) else pointer
    return [state.memory.at(int(address) >> OFFSET_BITS) for address in addresses if address]
