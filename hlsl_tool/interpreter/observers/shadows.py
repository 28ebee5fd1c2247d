"""Shadows: the undefined numbers of values and variables, in their shapes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import SUBGROUP
from hlsl_tool.spirv.ir import Instruction

from ..runtime.cells import Cell, CellPointer
from ..runtime.memory import Access
from ..runtime.quads import wide
from ..runtime.state import Registers, State
from ..runtime.values import Array, Value, map_leaves, zeros
from .findings import Site

MOVES = frozenset(
    (
        op.OpCompositeConstruct,
        op.OpCompositeExtract,
        op.OpCompositeInsert,
        op.OpCopyLogical,
        op.OpCopyObject,
        op.OpSelect,
        op.OpTranspose,
        op.OpVectorExtractDynamic,
        op.OpVectorInsertDynamic,
        op.OpVectorShuffle,
        op.OpGroupNonUniformBroadcast,
        op.OpGroupNonUniformBroadcastFirst,
        op.OpGroupNonUniformQuadBroadcast,
        op.OpGroupNonUniformQuadSwap,
        op.OpGroupNonUniformRotateKHR,
        op.OpGroupNonUniformShuffle,
        op.OpGroupNonUniformShuffleDown,
        op.OpGroupNonUniformShuffleUp,
        op.OpGroupNonUniformShuffleXor,
    )
)
"""Instructions that move parts of values; they move their definedness in the same way."""
_CHOOSING = {op.OpSelect: (0,), op.OpVectorExtractDynamic: (1,), op.OpVectorInsertDynamic: (2,)}
"""Their operands that choose, and so keep their values."""


@dataclass(slots=True)
class Undefined:
    """Which numbers of a value are undefined, in the shape of the value, and the read that gave them."""

    bits: Value
    origin: Site | None
    what: str
    variable: int = 0
    """The identity of the variable that was read, or of its first part; 0 if it was computed with."""


class Shadow(Cell):
    """The undefined bits of a cell, and of the last undefined value that was stored in it."""

    __slots__ = ("last",)

    def __init__(self, value: Value, owners: int) -> None:
        super().__init__(value, owners)
        self.last: Undefined | None = None


def moved(state: State, registers: Registers, inst: Instruction, values: dict[int, Undefined]) -> Value:
    """Return the undefined bits of the result of an instruction that moves parts: its step moves the bits, too."""
    frame = state.running
    bits = _Moved(values, registers, {inst.ints()[at] for at in _chosen_by(inst)})
    frame.function.blocks[frame.block].steps[frame.step](bits, state)
    return bits[inst.result_id]


def _chosen_by(inst: Instruction) -> tuple[int, ...]:
    """Return the operands that choose what an instruction moves; those of waves choose a lane."""
    if inst.op in SUBGROUP or inst.op == op.OpGroupNonUniformRotateKHR:
        return tuple(range(2, min(len(inst.operands), 3)))
    return _CHOOSING.get(inst.op, ())


class _Moved(dict[int, Any]):
    """Registers in which an instruction that moves values moves their undefined bits."""

    def __init__(self, values: dict[int, Undefined], registers: Registers, real: set[int]) -> None:
        super().__init__()
        self._values, self._registers, self._real = values, registers, real

    def __missing__(self, number: int) -> Any:
        if number in self._real:
            return self._registers[number]
        if number in self._values:
            return self._values[number].bits
        value = self._registers[number]
        return None if value is None else defined(value)


def leaves_of(tree: Any) -> list[Any]:
    """Return the arrays of a value, or the cells of a variable, in their order."""
    if isinstance(tree, list):
        return [leaf for part in tree for leaf in leaves_of(part)]
    return [tree]


def is_any(tree: Any) -> bool:
    """Return whether any bit of a value, or of the cells of a variable, is set."""
    return any(bool((leaf.value if isinstance(leaf, Cell) else leaf).any()) for leaf in leaves_of(tree))


def undefined_lanes(bits: Value, lanes: int) -> Array:
    """Return which lanes have any undefined number."""
    found = np.zeros(lanes, np.bool_)
    for leaf in leaves_of(bits):
        found |= wide(leaf, lanes).reshape(-1, lanes).any(axis=0)
    return found


def defined(value: Value) -> Value:
    """Return the bits of a value that is defined."""
    return map_leaves(
        lambda leaf: np.zeros((*leaf.shape[:-1], 1), np.bool_) if isinstance(leaf, np.ndarray) else None, value
    )


def wholly_undefined(value: Value) -> Undefined:
    """Return the bits of a value that is undefined as a whole."""
    bits = map_leaves(lambda leaf: np.ones(leaf.shape, np.bool_), value)
    return Undefined(bits, None, "an uninitialised variable")


def combined(state: State, inst: Instruction, given: list[Undefined]) -> Value:
    """Return the undefined bits of a result: by components where the shapes agree, else all of a lane."""
    of = state.program.context.types.of(inst)
    out = defined(zeros(of))
    for leaf in (leaf for value in given for leaf in leaves_of(value.bits)):
        out = map_leaves(partial(_with_bits, leaf), out)
    return out


def _with_bits(leaf: Array, target: Array) -> Array:
    is_alike = leaf.shape[:-1] == target.shape[:-1]
    return target | (leaf if is_alike else leaf.reshape(-1, leaf.shape[-1]).any(axis=0))


def mark(node: Any, *, is_undefined: bool = True) -> None:
    """Give the cells of a variable shadows."""
    for cell in leaves_of(node):
        if isinstance(cell.value, np.ndarray):
            shape = (*cell.value.shape[:-1], 1)
            cell.shadow = Shadow(np.full(shape, is_undefined), cell.owners)


def last_stored(shadow: CellPointer) -> Undefined | None:
    """Return an undefined value that was stored in what a shadow belongs to."""
    return next((cell.last for cell in leaves_of(shadow.node) if cell.last is not None), None)


def shadow_of(pointer: Any) -> CellPointer | None:
    """Return the pointer to the undefined bits of what a pointer leads to; ``None`` if all are defined."""
    if not isinstance(pointer, CellPointer) or pointer.node is None:
        return None
    if any(cell.shadow is None for cell in leaves_of(pointer.node)):
        return None
    return CellPointer(map_leaves(lambda cell: cell.shadow, pointer.node), pointer.indices)


def mark_written(written: Array, offsets: Array, undefined: Array, access: Access) -> None:
    """Mark numbers of shared memory as written, but for undefined ones."""
    lanes = access.mask.bits.size
    chosen = access.mask.lanes
    where = wide(offsets, lanes)[..., chosen]
    inside = wide(~access.outside, lanes)[..., chosen]
    bits = np.broadcast_to(wide(undefined, lanes)[..., chosen], where.shape)
    written[where[inside]] = ~bits[inside]
