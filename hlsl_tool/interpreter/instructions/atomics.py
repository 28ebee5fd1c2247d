"""Atomics: the lanes of the mask act one after the other, in their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction

from ..runtime.code import Step
from ..runtime.memory import OFFSET, Access, Addresses
from ..runtime.quads import wide
from ..runtime.state import State
from ..runtime.values import Array, as_vector
from .context import Context, builds, with_state


@dataclass(frozen=True, slots=True)
class Atomic:
    """An atomic that combines the value in memory with an operand."""

    function: Any
    """A universal function of numpy; ``None`` for an exchange."""
    kind: str = "u"
    """The kind of numpy type in which it computes: ``u``, ``i`` or ``f``."""
    is_step: bool = False
    """Whether the operand is 1."""


ATOMICS = {
    op.OpAtomicExchange: Atomic(None),
    op.OpAtomicIIncrement: Atomic(np.add, is_step=True),
    op.OpAtomicIDecrement: Atomic(np.subtract, is_step=True),
    op.OpAtomicIAdd: Atomic(np.add),
    op.OpAtomicISub: Atomic(np.subtract),
    op.OpAtomicSMin: Atomic(np.minimum, "i"),
    op.OpAtomicUMin: Atomic(np.minimum),
    op.OpAtomicSMax: Atomic(np.maximum, "i"),
    op.OpAtomicUMax: Atomic(np.maximum),
    op.OpAtomicAnd: Atomic(np.bitwise_and),
    op.OpAtomicOr: Atomic(np.bitwise_or),
    op.OpAtomicXor: Atomic(np.bitwise_xor),
    op.OpAtomicFAddEXT: Atomic(np.add, "f"),
    op.OpAtomicFMinEXT: Atomic(np.fmin, "f"),
    op.OpAtomicFMaxEXT: Atomic(np.fmax, "f"),
}


@builds(*ATOMICS)
def _atomic(context: Context, inst: Instruction) -> Step:
    atomic, dtype, count = ATOMICS[inst.op], context.numbers_of(inst), context.types.of(inst).length or 1
    working = np.dtype(f"{atomic.kind}{dtype.itemsize}") if atomic.function is not None else dtype
    one = np.ones(1, dtype)

    def changed(addresses: Addresses, *operands: Any) -> Array:
        *given, s = operands
        value = (given[0] if given else one).view(working)
        out = np.zeros((*value.shape[:-1], s.shape.lanes), working)

        def change(words: Array, index: Array, lanes: Array) -> None:
            for part, (old, number) in enumerate(zip(as_vector(out), as_vector(value), strict=True)):
                operand = wide(number, s.shape.lanes)[lanes]
                old[lanes] = _applied(atomic.function, words.view(working), index + part, operand)

        _at_addresses(addresses, dtype.itemsize, count, s, change)
        return out.view(dtype)

    return with_state(changed, inst.result_id, [inst.id(0)] if atomic.is_step else [inst.id(0), inst.id(3)])


Change = Callable[[Array, Array, Array], None]
"""A function of the numbers of a buffer, of the index of each lane, and of the lanes."""


def _at_addresses(addresses: Addresses, size: int, count: int, s: State, change: Change) -> None:
    """Call ``change`` for the lanes within each buffer; they access ``count`` numbers of a size in bytes."""
    writers = s.writers
    if not writers.count:
        return
    shift, offsets = size.bit_length() - 1, addresses & OFFSET
    for buffer, mask in s.memory.by_buffer(addresses, writers):
        if s.report is not None:
            s.report(Access("atomic", buffer, offsets, size, mask))
        words, index = buffer.words(shift), wide(offsets >> shift, s.shape.lanes)[mask.lanes]
        inside = index + count <= words.size
        if bool(inside.any()):
            change(words, index[inside], mask.lanes[inside])


def _applied(function: Any, words: Array, index: Array, operand: Array) -> Array:
    """Change numbers in the order of the lanes, and return the values before each change."""
    first = index[0]
    if bool((index == first).all()):
        return _at_one(function, words, int(first), operand)
    unique, inverse = np.unique(index, return_inverse=True)
    if unique.size == index.size:
        old = words[index]
        words[index] = operand if function is None else function(old, operand)
        return old
    old = np.empty(index.shape, words.dtype)
    order = np.argsort(inverse, kind="stable")
    ends = np.cumsum(np.bincount(inverse))
    for number, start, end in zip(unique, [0, *ends[:-1]], ends, strict=True):
        lanes = order[start:end]
        old[lanes] = _at_one(function, words, int(number), operand[lanes])
    return old


def _at_one(function: Any, words: Array, index: int, operand: Array) -> Array:
    """Change one number by each operand in turn."""
    sequence = np.concatenate([words[index : index + 1], operand])
    steps = sequence if function is None else function.accumulate(sequence, dtype=sequence.dtype)
    words[index] = steps[-1]
    old: Array = steps[:-1]
    return old


@builds(op.OpAtomicCompareExchange)
def _compare_exchange(context: Context, inst: Instruction) -> Step:
    pointer, *_, value, comparator = inst.ints()
    dtype = context.numbers_of(inst)

    def exchanged(addresses: Addresses, given: Array, compared: Array, s: State) -> Array:
        new, expected = wide(given, s.shape.lanes), wide(compared, s.shape.lanes)
        out = np.zeros(s.shape.lanes, dtype)

        def change(numbers: Array, index: Array, lanes: Array) -> None:
            typed = numbers.view(dtype)
            for at, lane in zip(index, lanes, strict=True):
                old = out[lane] = typed[at]
                if old == expected[lane]:
                    typed[at] = new[lane]

        _at_addresses(addresses, dtype.itemsize, 1, s, change)
        return out

    return with_state(exchanged, inst.result_id, [pointer, value, comparator])
