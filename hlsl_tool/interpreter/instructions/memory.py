"""Variables, access chains, loads and stores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import ACCESS_CHAINS
from hlsl_tool.spirv.enums import StorageClass
from hlsl_tool.spirv.ir import Instruction

from ..errors import NotInterpretedError
from ..model.layout import Place
from ..model.types import Type
from ..runtime.cells import CellPointer, index_of, new_cells
from ..runtime.code import Step
from ..runtime.handles import HandleTable, for_each
from ..runtime.masks import Mask
from ..runtime.memory import OFFSET
from ..runtime.state import Registers, State
from ..runtime.values import Array, Value, as_index
from .context import Context, add_rows, builds, pure, with_state


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
    storage, *initial = inst.ints()
    if storage != StorageClass.Function:
        raise NotInterpretedError(f"OpVariable of the storage class {storage} in a function")
    pointee = context.pointee(inst.result_id)

    def variable(*operands: Any) -> CellPointer:
        *value, s = operands
        return CellPointer(new_cells(pointee, s.frame.entry.count, *value))

    return with_state(variable, inst.result_id, initial)


# --------------------------------------------------------------------------------------------------- access chains


ELEMENT_CHAINS = (op.OpPtrAccessChain, op.OpInBoundsPtrAccessChain)
UNTYPED_CHAINS = (op.OpUntypedAccessChainKHR, op.OpUntypedInBoundsAccessChainKHR)
CHAINS = (*ACCESS_CHAINS, *ELEMENT_CHAINS, *UNTYPED_CHAINS)


def split(inst: Instruction) -> tuple[int, int, list[int]]:
    """Return the base of an access chain, the id of the type of an untyped base (else 0), and the indices."""
    if inst.op in UNTYPED_CHAINS:
        of, base, *indices = inst.ints()
        return base, of, indices
    base, *indices = inst.ints()
    return base, 0, indices[1:] if inst.op in ELEMENT_CHAINS else indices


@builds(*CHAINS)
def _chain(context: Context, inst: Instruction) -> Step:
    base, of, indices = split(inst)
    pointer = context.type_of(base)
    if pointer.storage == StorageClass.UniformConstant:
        return pure(_element, inst.result_id, [base, *indices])
    element = inst.id(1) if inst.op in ELEMENT_CHAINS else None
    if pointer.is_address:
        place = Place(context.types[of]) if of else context.place(base)
        return _address_chain(context, inst, base, element, indices, place)
    if element is not None:
        raise NotInterpretedError("OpPtrAccessChain of a variable without memory layout")
    return _cell_chain(context, inst.result_id, base, indices)


def _element(table: HandleTable, *indices: Array) -> Any:
    for index in indices:
        table = table.element(index)
    return table


def _cell_chain(context: Context, result: int, base: int, indices: Sequence[int]) -> Step:
    """Return the step for a variable without layout: members are found in the tree of its cells."""
    of = context.pointee(base)
    members: list[int] = []
    constants: list[int | None] = []
    varying: list[int] = []
    for index in indices:
        constant = context.constant(index)
        if of.kind == "struct":
            assert constant is not None
            members.append(constant)
        else:
            constants.append(constant)
            varying += [index] if constant is None else []
        of = of.part(constant or 0)

    def part(pointer: CellPointer, *values: Array) -> CellPointer:
        rest = iter(values)
        places = tuple(index_of(next(rest)) if constant is None else constant for constant in constants)
        return pointer.part(members, places)

    return pure(part, result, [base, *varying])


def _address_chain(
    context: Context, inst: Instruction, base: int, element: int | None, indices: Sequence[int], place: Place
) -> Step:
    """Return the step for memory: the address is the sum of constant offsets and of indices times strides."""
    tables = 0
    while place.type.kind == "array" and context.is_descriptor_array(base):
        place = Place(place.type.part(0))
        tables += 1
        if tables > len(indices):
            raise NotInterpretedError("a pointer to an array of buffers")
    table_indices, indices = indices[:tables], indices[tables:]
    offset = 0
    strides = {} if element is None else {element: context.pointer_stride(base)}
    for index in indices:
        constant = context.constant(index)
        stride, part = context.layout.step(place, constant or 0)
        if place.type.kind == "struct":
            offset += stride
        elif constant is not None:
            offset += stride * (constant - (1 << 32) if constant >> 31 else constant)
        else:
            strides[index] = strides.get(index, 0) + stride
        place = part
    context.places[inst.result_id] = place
    return _address_step(inst.result_id, [base, *table_indices], offset, strides)


def _address_step(result: int, tables: Sequence[int], offset: int, strides: dict[int, int]) -> Step:
    """Return the step for an address, given the ids of a table and its indices, and id of an index → stride."""
    terms = tuple(strides.values())

    def address(*operands: Any) -> Any:
        base = _element(*operands[: len(tables)])
        total = base + offset if offset else base
        for index, stride in zip(operands[len(tables) :], terms, strict=True):
            total = total + as_index(index) * stride
        return total

    return pure(address, result, [*tables, *strides])


# ------------------------------------------------------------------------------------------------- loads and stores


Get = Callable[[Registers, State], Value]
"""Reads a value through a pointer."""
Put = Callable[[Registers, State, Value], None]
"""Writes a value through a pointer."""


def _getter(context: Context, pointer: int, of: Type) -> Get:
    """Return the function that reads values of a type through a pointer."""
    if not context.type_of(pointer).is_address:
        return lambda r, _: r[pointer].load()
    leaves = context.layout.leaves(context.place_of(pointer, of))
    return lambda r, s: s.memory.load(leaves, r[pointer], s.mask, s.report)


def putter(context: Context, pointer: int, of: Type) -> Put:
    """Return the function that writes values of a type through a pointer."""
    if not context.type_of(pointer).is_address:
        return lambda r, s, value: r[pointer].store(value, s.mask)
    leaves = context.layout.leaves(context.place_of(pointer, of))
    return lambda r, s, value: s.memory.store(leaves, r[pointer], value, s.writers, s.report)


@builds(op.OpLoad, op.OpAtomicLoad)
def _load(context: Context, inst: Instruction) -> Step:
    result, get = inst.result_id, _getter(context, inst.id(0), context.types.of(inst))

    def step(r: Registers, s: State) -> None:
        r[result] = get(r, s)

    return step


@builds(op.OpStore, op.OpAtomicStore)
def _store(context: Context, inst: Instruction) -> Step:
    value = inst.id(1 if inst.op == op.OpStore else 3)
    put = putter(context, inst.id(0), context.type_of(value))

    def step(r: Registers, s: State) -> None:
        put(r, s, r[value])

    return step


@builds(op.OpCopyMemory)
def _copy_memory(context: Context, inst: Instruction) -> Step:
    target, source = inst.ints()[:2]
    of = context.pointee(source)
    get, put = _getter(context, source, of), putter(context, target, of)

    def step(r: Registers, s: State) -> None:
        put(r, s, get(r, s))

    return step


# --------------------------------------------------------------------------------------------- buffers as a whole


def _buffer_pointer(descriptor: HandleTable, s: State) -> Array:
    def address(buffer: Any, _: Mask) -> Array:
        return np.array([0 if buffer is None else buffer.address], np.int64)

    return for_each(descriptor.load(), s.mask, address)


add_rows({op.OpBufferPointerEXT: _buffer_pointer}, with_state)


@builds(op.OpArrayLength, op.OpUntypedArrayLengthKHR)
def _array_length(context: Context, inst: Instruction) -> Step:
    pointer, member = inst.ints()[-2:]
    struct = context.place(pointer).type if inst.op == op.OpArrayLength else context.types[inst.id(0)]
    offset, stride = context.layout.offset(struct, member), context.layout.stride(struct.members[member])

    def length(addresses: Array, s: State) -> Array:
        counts = np.zeros(addresses.shape, np.uint32)
        for buffer, mask in s.memory.by_buffer(addresses, s.mask):
            sizes = np.maximum(buffer.size - (addresses & OFFSET) - offset, 0) // stride
            counts = np.where(mask.bits, sizes, counts) if addresses.size > 1 else sizes
        return counts.astype(np.uint32)

    return with_state(length, inst.result_id, [pointer])


@builds(op.OpPtrDiff)
def _pointer_difference(context: Context, inst: Instruction) -> Step:
    stride, dtype = context.pointer_stride(inst.id(0)), context.numbers_of(inst)
    return pure(lambda a, b: ((a - b) // stride).astype(dtype), inst.result_id, inst.ints())
