"""Variables, access chains, loads and stores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hlsl_tool.spirv import op
from hlsl_tool.spirv.enums import StorageClass
from hlsl_tool.spirv.ir import Instruction

from ..errors import NotInterpretedError
from ..model.layout import Place
from ..model.types import Type
from ..runtime.cells import CellPointer, Index, index_of, new_cells
from ..runtime.code import Step
from ..runtime.handles import HandleTable, for_each
from ..runtime.masks import Mask
from ..runtime.memory import OFFSET
from ..runtime.state import Registers, State
from ..runtime.values import Array, Value, as_index
from .context import Context, builds

_TABLES = (StorageClass.Uniform, StorageClass.StorageBuffer, StorageClass.UniformConstant)


class BufferTable(HandleTable):
    """The addresses of the buffers of a binding that is an array."""

    __slots__ = ()

    def element(self, index: Array) -> Any:
        """Return the address of an element, or the table of an inner array; 0 out of bounds."""
        table = super().element(index)
        if table.sizes:
            return table
        flat = np.atleast_1d(table.index)
        inside = (flat >= 0) & (flat < len(self.objects))
        return np.asarray(self.objects)[np.where(inside, flat, 0)] * inside


@builds(op.OpVariable)
def _variable(context: Context, inst: Instruction) -> Step:
    pointee = context.types.of(inst).element
    assert pointee is not None
    if inst.id(0) != StorageClass.Function:
        raise NotInterpretedError(f"OpVariable of the storage class {inst.id(0)} in a function")
    result, initial = inst.result_id, inst.id(1) if len(inst.operands) > 1 else 0

    def step(r: Registers, s: State) -> None:
        assert s.frame is not None
        r[result] = CellPointer(new_cells(pointee, s.frame.entry.count, r[initial] if initial else None))

    return step


# --------------------------------------------------------------------------------------------------- access chains


@builds(op.OpAccessChain, op.OpInBoundsAccessChain, op.OpPtrAccessChain, op.OpInBoundsPtrAccessChain)
def _chain(context: Context, inst: Instruction) -> Step:
    base, *indices = inst.ints()
    element = None
    if inst.op in (op.OpPtrAccessChain, op.OpInBoundsPtrAccessChain):
        element, indices = indices[0], indices[1:]
    pointer = context.type_of(base)
    if pointer.storage == StorageClass.UniformConstant:
        return _handle_chain(inst.result_id, base, indices)
    if pointer.is_address:
        return _address_chain(context, inst, base, element, indices, context.place(base))
    if element is not None:
        raise NotInterpretedError("OpPtrAccessChain of a variable without memory layout")
    assert pointer.element is not None
    return _cell_chain(context, inst.result_id, base, indices, pointer.element)


@builds(op.OpUntypedAccessChainKHR, op.OpUntypedInBoundsAccessChainKHR)
def _untyped_chain(context: Context, inst: Instruction) -> Step:
    of, base, *indices = inst.ints()
    if context.type_of(base).storage == StorageClass.UniformConstant:
        return _handle_chain(inst.result_id, base, indices)
    return _address_chain(context, inst, base, None, indices, Place(context.types[of]))


def _handle_chain(result: int, base: int, indices: Sequence[int]) -> Step:
    def step(r: Registers, _: State) -> None:
        table: HandleTable = r[base]
        for index in indices:
            table = table.element(r[index])
        r[result] = table

    return step


def _cell_chain(context: Context, result: int, base: int, indices: Sequence[int], of: Type) -> Step:
    """Return the step for a variable without layout: members are found in the tree of its cells."""
    members: list[int] = []
    places: list[tuple[bool, int]] = []  # (is a constant, the constant or the id)
    for index in indices:
        constant = context.constant(index)
        if of.kind == "struct":
            assert constant is not None
            members.append(constant)
        else:
            places.append((True, constant) if constant is not None else (False, index))
        of = of.part(constant or 0)
    if all(is_constant for is_constant, _ in places):
        fixed: tuple[Index, ...] = tuple(place for _, place in places)

        def constant_step(r: Registers, _: State) -> None:
            pointer: CellPointer = r[base]
            r[result] = pointer.part(members, fixed)

        return constant_step

    def step(r: Registers, _: State) -> None:
        pointer: CellPointer = r[base]
        indices = tuple(place if is_constant else index_of(r[place]) for is_constant, place in places)
        r[result] = pointer.part(members, indices)

    return step


def _address_chain(
    context: Context, inst: Instruction, base: int, element: int | None, indices: Sequence[int], place: Place
) -> Step:
    """Return the step for memory: the address is the sum of constant offsets and of indices times strides."""
    tables = 0
    pointer_storage = context.type_of(base).storage
    while pointer_storage in _TABLES and place.type.kind == "array" and context.is_descriptor_array(base):
        assert place.type.element is not None
        place = Place(place.type.element)
        tables += 1
        if tables > len(indices):
            raise NotInterpretedError("a pointer to an array of buffers")
    table_indices, indices = indices[:tables], indices[tables:]
    offset = 0
    terms: list[tuple[int, int]] = []
    if element is not None:
        terms.append((element, context.pointer_stride(base)))
    for index in indices:
        constant = context.constant(index)
        step_size, part = context.layout.step(place, constant or 0)
        if place.type.kind == "struct":
            offset += step_size
        elif constant is not None:
            offset += step_size * (constant - (1 << 32) if constant >> 31 else constant)
        else:
            terms.append((index, step_size))
        place = part
    context.places[inst.result_id] = place
    return _address_step(inst.result_id, base, table_indices, offset, terms)


def _address_step(
    result: int, base: int, table_indices: Sequence[int], offset: int, terms: Sequence[tuple[int, int]]
) -> Step:
    if not table_indices and not terms:

        def constant_step(r: Registers, _: State) -> None:
            r[result] = r[base] + offset

        return constant_step

    def step(r: Registers, _: State) -> None:
        address = r[base]
        for index in table_indices:
            address = address.element(r[index])
        if offset:
            address = address + offset
        for index, stride in terms:
            address = address + as_index(r[index]) * stride
        r[result] = address

    return step


# ------------------------------------------------------------------------------------------------- loads and stores


@builds(op.OpLoad)
def _load(context: Context, inst: Instruction) -> Step:
    result, pointer = inst.result_id, inst.id(0)
    if context.type_of(pointer).storage == StorageClass.UniformConstant:

        def from_table(r: Registers, _: State) -> None:
            r[result] = r[pointer].load()

        return from_table
    if context.type_of(pointer).is_address:
        leaves = context.layout.leaves(context.place_of(pointer, context.types.of(inst)))

        def from_memory(r: Registers, s: State) -> None:
            r[result] = s.memory.load(leaves, r[pointer], s.mask, s.report)

        return from_memory

    def from_cells(r: Registers, s: State) -> None:
        r[result] = r[pointer].load()

    return from_cells


Put = Callable[[Registers, State, Value], None]
"""Writes a value through a pointer."""


def storer(context: Context, pointer: int, of: Type) -> Put:
    """Return the function that writes values of a type through a pointer."""
    if context.type_of(pointer).is_address:
        leaves = context.layout.leaves(context.place_of(pointer, of))

        def to_memory(r: Registers, s: State, value: Value) -> None:
            s.memory.store(leaves, r[pointer], value, s.writers, s.report)

        return to_memory

    def to_cells(r: Registers, s: State, value: Value) -> None:
        r[pointer].store(value, s.mask)

    return to_cells


@builds(op.OpStore)
def _store(context: Context, inst: Instruction) -> Step:
    pointer, value = inst.ints()[:2]
    put = storer(context, pointer, context.type_of(value))

    def step(r: Registers, s: State) -> None:
        put(r, s, r[value])

    return step


@builds(op.OpCopyMemory)
def _copy_memory(context: Context, inst: Instruction) -> Step:
    target, source = inst.ints()[:2]
    of = context.type_of(source).element
    assert of is not None
    put = storer(context, target, of)
    leaves = context.layout.leaves(context.place_of(source, of)) if context.type_of(source).is_address else None

    def step(r: Registers, s: State) -> None:
        pointer = r[source]
        put(r, s, s.memory.load(leaves, pointer, s.mask, s.report) if leaves is not None else pointer.load())

    return step


@builds(op.OpBufferPointerEXT)
def _buffer_pointer(_: Context, inst: Instruction) -> Step:
    result, descriptor = inst.result_id, inst.id(0)

    def step(r: Registers, s: State) -> None:
        def address(buffer: Any, _: Mask) -> Array:
            return np.array([0 if buffer is None else buffer.address], np.int64)

        r[result] = for_each(r[descriptor].load(), s.mask, address)

    return step


@builds(op.OpArrayLength)
def _array_length(context: Context, inst: Instruction) -> Step:
    result, pointer, member = inst.result_id, inst.id(0), inst.id(1)
    struct = context.place(pointer).type
    return _length_step(context, result, pointer, struct, member)


@builds(op.OpUntypedArrayLengthKHR)
def _untyped_array_length(context: Context, inst: Instruction) -> Step:
    of, pointer, member = inst.ints()[:3]
    return _length_step(context, inst.result_id, pointer, context.types[of], member)


def _length_step(context: Context, result: int, pointer: int, struct: Type, member: int) -> Step:
    offset, stride = context.layout.offset(struct, member), context.layout.stride(struct.members[member])

    def step(r: Registers, s: State) -> None:
        addresses = r[pointer]
        counts = np.zeros(addresses.shape, np.uint32)
        for buffer, mask in s.memory.by_buffer(addresses, s.mask):
            sizes = np.maximum(buffer.size - (addresses & OFFSET) - offset, 0) // stride
            counts = np.where(mask.bits, sizes, counts) if addresses.size > 1 else sizes
        r[result] = counts.astype(np.uint32)

    return step


@builds(op.OpPtrDiff)
def _pointer_difference(context: Context, inst: Instruction) -> Step:
    result, (a, b) = inst.result_id, inst.ints()
    stride = context.pointer_stride(a)
    dtype = context.types.of(inst).dtype

    def step(r: Registers, _: State) -> None:
        r[result] = ((r[a] - r[b]) // stride).astype(dtype)

    return step
