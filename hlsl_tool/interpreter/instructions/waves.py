"""Operations of waves and quads, and derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import SUBGROUP
from hlsl_tool.spirv.enums import GroupOperation
from hlsl_tool.spirv.ir import Instruction

from ..errors import NotInterpretedError
from ..runtime.code import Step
from ..runtime.quads import across, down, flat, from_quads, in_quads, rows, wide
from ..runtime.state import Registers, State
from ..runtime.values import Array, map_leaves, signed, unsigned
from .context import Context, builds

_DERIVATIVES = frozenset(range(op.OpDPdx, op.OpFwidthCoarse + 1))
_IMPLICIT = frozenset(
    (
        op.OpImageSampleImplicitLod,
        op.OpImageSampleDrefImplicitLod,
        op.OpImageSampleProjImplicitLod,
        op.OpImageSampleProjDrefImplicitLod,
        op.OpImageQueryLod,
        op.OpImageSparseSampleImplicitLod,
        op.OpImageSparseSampleDrefImplicitLod,
    )
)
_QUAD_VOTES = frozenset((op.OpGroupNonUniformQuadAllKHR, op.OpGroupNonUniformQuadAnyKHR))
QUADS = _DERIVATIVES | _IMPLICIT | _QUAD_VOTES
"""Opcodes that look at the other lanes of a quad."""
WAVES = (SUBGROUP | {op.OpGroupNonUniformRotateKHR, op.OpGroupNonUniformPartitionEXT}) - {
    op.OpGroupNonUniformQuadBroadcast,
    op.OpGroupNonUniformQuadSwap,
}
"""Opcodes that look at the other lanes of a wave."""
QUADS |= {op.OpGroupNonUniformQuadBroadcast, op.OpGroupNonUniformQuadSwap}

# ------------------------------------------------------------------------------------------------------ derivatives


def _width(value: Array, state: State, *, coarse: bool = False) -> Array:
    return np.abs(across(value, state, coarse=coarse)) + np.abs(down(value, state, coarse=coarse))


_DIFFERENCES: dict[int, tuple[Callable[..., Array], bool]] = {
    op.OpDPdx: (across, False),
    op.OpDPdy: (down, False),
    op.OpFwidth: (_width, False),
    op.OpDPdxFine: (across, False),
    op.OpDPdyFine: (down, False),
    op.OpFwidthFine: (_width, False),
    op.OpDPdxCoarse: (across, True),
    op.OpDPdyCoarse: (down, True),
    op.OpFwidthCoarse: (_width, True),
}


@builds(*_DIFFERENCES)
def _derivative(_: Context, inst: Instruction) -> Step:
    function, coarse = _DIFFERENCES[inst.op]
    result, source = inst.result_id, inst.id(0)

    def step(r: Registers, s: State) -> None:
        r[result] = function(r[source], s, coarse=coarse)

    return step


# ------------------------------------------------------------------------------------------------------ reductions


@dataclass(frozen=True, slots=True)
class Reduction:
    """An associative operation with its neutral element."""

    function: Any
    """A universal function of numpy."""
    neutral: Callable[[np.dtype[Any]], Any]
    is_signed: bool = False


def _least(dtype: np.dtype[Any]) -> Any:
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _most(dtype: np.dtype[Any]) -> Any:
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


REDUCTIONS = {
    op.OpGroupNonUniformIAdd: Reduction(np.add, lambda _: 0),
    op.OpGroupNonUniformFAdd: Reduction(np.add, lambda _: 0),
    op.OpGroupNonUniformIMul: Reduction(np.multiply, lambda _: 1),
    op.OpGroupNonUniformFMul: Reduction(np.multiply, lambda _: 1),
    op.OpGroupNonUniformSMin: Reduction(np.minimum, _most, is_signed=True),
    op.OpGroupNonUniformUMin: Reduction(np.minimum, _most),
    op.OpGroupNonUniformFMin: Reduction(np.fmin, _most),
    op.OpGroupNonUniformSMax: Reduction(np.maximum, _least, is_signed=True),
    op.OpGroupNonUniformUMax: Reduction(np.maximum, _least),
    op.OpGroupNonUniformFMax: Reduction(np.fmax, _least),
    op.OpGroupNonUniformBitwiseAnd: Reduction(np.bitwise_and, _most),
    op.OpGroupNonUniformBitwiseOr: Reduction(np.bitwise_or, lambda _: 0),
    op.OpGroupNonUniformBitwiseXor: Reduction(np.bitwise_xor, lambda _: 0),
    op.OpGroupNonUniformLogicalAnd: Reduction(np.logical_and, lambda _: True),
    op.OpGroupNonUniformLogicalOr: Reduction(np.logical_or, lambda _: False),
    op.OpGroupNonUniformLogicalXor: Reduction(np.logical_xor, lambda _: False),
}
_PARTITIONED = (
    GroupOperation.PartitionedReduceEXT,
    GroupOperation.PartitionedInclusiveScanEXT,
    GroupOperation.PartitionedExclusiveScanEXT,
)


@builds(*REDUCTIONS)
def _reduce(context: Context, inst: Instruction) -> Step:
    reduction, result = REDUCTIONS[inst.op], inst.result_id
    operation, value = inst.id(1), inst.id(2)
    extra = inst.id(3) if len(inst.operands) > 3 else 0
    cluster = (context.constant(extra) or 0) if operation == GroupOperation.ClusteredReduce else 0

    def step(r: Registers, s: State) -> None:
        given = signed(r[value]) if reduction.is_signed else r[value]
        neutral = given.dtype.type(reduction.neutral(given.dtype))
        if operation in _PARTITIONED:
            out = _partitioned(reduction, neutral, given, r[extra], operation, s)
        else:
            out = _scanned(reduction, neutral, given, operation, cluster or s.shape.wave, s)
        r[result] = unsigned(out) if reduction.is_signed else out

    return step


def _scanned(reduction: Reduction, neutral: Any, value: Array, operation: int, width: int, s: State) -> Array:
    lanes = s.shape.lanes
    active = np.where(s.mask.bits, wide(value, lanes), neutral)
    parts = rows(active, lanes, width)
    scan = reduction.function.accumulate(parts, axis=-1, dtype=parts.dtype)
    if operation == GroupOperation.InclusiveScan:
        return flat(scan)
    if operation == GroupOperation.ExclusiveScan:
        out = np.empty_like(scan)
        out[..., 0] = neutral
        out[..., 1:] = scan[..., :-1]
        return flat(out)
    return flat(np.broadcast_to(scan[..., -1:], scan.shape))


def _partitioned(reduction: Reduction, neutral: Any, value: Array, ballot: Array, operation: int, s: State) -> Array:
    """Reduce among the lanes of a wave that have the same ballot."""
    lanes, width = s.shape.lanes, s.shape.wave
    parts, active = rows(value, lanes, width), rows(s.mask.bits, lanes, width)
    out = np.full(parts.shape, neutral, value.dtype)
    own = np.arange(width)
    for other in range(width):
        bits = rows((ballot[other // 32] >> np.uint32(other % 32)) & np.uint32(1), lanes, width) != 0
        chosen = bits & active[..., other : other + 1]
        if operation == GroupOperation.PartitionedInclusiveScanEXT:
            chosen = chosen & (own >= other)
        elif operation == GroupOperation.PartitionedExclusiveScanEXT:
            chosen = chosen & (own > other)
        out = np.where(chosen, reduction.function(out, parts[..., other : other + 1]), out)
    return flat(out)


# ----------------------------------------------------------------------------------------------------------- votes


def _active(s: State) -> Array:
    return rows(s.mask.bits, s.shape.lanes, s.shape.wave)


def _spread(value: Any, s: State) -> Array:
    """Return a value with an entry for each wave as one with an entry for each lane."""
    return np.repeat(value, s.shape.wave, axis=-1)


def ballot(bits: Array, s: State) -> Array:
    """Return four words whose bits are those of the active lanes of each wave."""
    chosen = rows(bits, s.shape.lanes, s.shape.wave) & _active(s)
    packed = np.zeros((chosen.shape[0], 16), np.uint8)
    part = np.packbits(chosen, axis=-1, bitorder="little")
    packed[:, : part.shape[-1]] = part
    return np.repeat(packed.view(np.uint32).T, s.shape.wave, axis=-1)


def _all(value: Array, s: State) -> Array:
    return _spread((rows(value, s.shape.lanes, s.shape.wave) | ~_active(s)).all(axis=-1), s)


def _any(value: Array, s: State) -> Array:
    return _spread((rows(value, s.shape.lanes, s.shape.wave) & _active(s)).any(axis=-1), s)


def _first(value: Array, s: State) -> Array:
    """Return the value of the first active lane of each wave."""
    parts = rows(value, s.shape.lanes, s.shape.wave)
    lane = np.argmax(_active(s), axis=-1)
    chosen = np.take_along_axis(parts, np.broadcast_to(lane[:, None], (*parts.shape[:-1], 1)), axis=-1)
    return _spread(chosen[..., 0], s)


def _all_equal(value: Array, s: State) -> Array:
    equal = wide(value, s.shape.lanes) == _first(value, s)
    if equal.ndim > 1:
        equal = equal.all(axis=0)
    return _all(equal, s)


def _elect(s: State) -> Array:
    active = _active(s)
    lane = np.argmax(active, axis=-1)
    return flat((np.arange(s.shape.wave) == lane[:, None]) & active)


def _from_lane(value: Array, lane: Array, s: State) -> Array:
    """Return the value of another lane of the wave, given its number in it."""
    lanes, width = s.shape.lanes, s.shape.wave
    own = np.arange(lanes)
    chosen = own - own % width + np.clip(wide(lane, lanes).astype(np.int64), 0, width - 1)
    return wide(value, lanes)[..., chosen]


def _lane(s: State) -> Array:
    return np.arange(s.shape.lanes) % s.shape.wave


def _rotated(value: Array, delta: Array, *rest: Any) -> Array:
    *cluster, s = rest
    own, width = _lane(s), int(cluster[0][0]) if cluster else s.shape.wave
    return _from_lane(value, own - own % width + (own + delta.astype(np.int64)) % width, s)


def _bit_of(words: Array, lane: Array, s: State) -> Array:
    wide_words, at = wide(words, s.shape.lanes), wide(lane, s.shape.lanes).astype(np.int64)
    word = np.take_along_axis(wide_words, np.clip(at // 32, 0, 3)[None], axis=0)[0]
    return (word >> (at % 32).astype(np.uint32) & np.uint32(1)) != 0


def _ballot_bits(words: Array, s: State) -> Array:
    """Return a ballot as booleans: one axis for the bits in front."""
    numbers = np.arange(s.shape.wave)
    return (wide(words, s.shape.lanes)[numbers // 32] >> (numbers % 32).astype(np.uint32)[:, None] & np.uint32(1)) != 0


def _count_bits(operation: int, words: Array, s: State) -> Array:
    bits, own = _ballot_bits(words, s), _lane(s)
    numbers = np.arange(s.shape.wave)[:, None]
    if operation == GroupOperation.InclusiveScan:
        bits &= numbers <= own
    elif operation == GroupOperation.ExclusiveScan:
        bits &= numbers < own
    return bits.sum(axis=0).astype(np.uint32)


def _matching(value: Any, s: State) -> Array:
    """Return the ballot of the lanes that have the same value."""
    lanes, width = s.shape.lanes, s.shape.wave
    out = np.zeros((4, lanes), np.uint32)
    own, active = rows(value, lanes, width), _active(s)
    for other in range(width):
        same = own == own[..., other : other + 1]
        if same.ndim > 2:
            same = same.reshape(-1, *same.shape[-2:]).all(axis=0)
        bits = flat(same & active[..., other : other + 1])
        out[other // 32] |= bits.astype(np.uint32) << np.uint32(other % 32)
    return out


_LANE_FUNCTIONS: dict[int, Callable[..., Array]] = {
    op.OpGroupNonUniformAll: _all,
    op.OpGroupNonUniformAny: _any,
    op.OpGroupNonUniformAllEqual: _all_equal,
    op.OpGroupNonUniformBroadcast: _from_lane,
    op.OpGroupNonUniformBroadcastFirst: _first,
    op.OpGroupNonUniformBallot: ballot,
    op.OpGroupNonUniformInverseBallot: lambda words, s: _bit_of(words, _lane(s), s),
    op.OpGroupNonUniformBallotBitExtract: _bit_of,
    op.OpGroupNonUniformBallotFindLSB: lambda words, s: np.argmax(_ballot_bits(words, s), axis=0).astype(np.uint32),
    op.OpGroupNonUniformBallotFindMSB: lambda words, s: (
        s.shape.wave - 1 - np.argmax(_ballot_bits(words, s)[::-1], axis=0)
    ).astype(np.uint32),
    op.OpGroupNonUniformShuffle: _from_lane,
    op.OpGroupNonUniformShuffleXor: lambda value, bits, s: _from_lane(value, _lane(s) ^ bits, s),
    op.OpGroupNonUniformShuffleUp: lambda value, delta, s: _from_lane(value, _lane(s) - delta.astype(np.int64), s),
    op.OpGroupNonUniformShuffleDown: lambda value, delta, s: _from_lane(value, _lane(s) + delta.astype(np.int64), s),
    op.OpGroupNonUniformElect: _elect,
    op.OpGroupNonUniformPartitionEXT: _matching,
    op.OpGroupNonUniformRotateKHR: _rotated,
}
"""Opcode → function of the operands behind the scope, and of the state."""


@builds(*_LANE_FUNCTIONS)
def _vote(_: Context, inst: Instruction) -> Step:
    function, result = _LANE_FUNCTIONS[inst.op], inst.result_id
    operands = inst.ints() if inst.op == op.OpGroupNonUniformPartitionEXT else inst.ints()[1:]  # it has no scope

    def step(r: Registers, s: State) -> None:
        r[result] = function(*(r[operand] for operand in operands), s)

    return step


@builds(op.OpGroupNonUniformBallotBitCount)
def _bit_count(_: Context, inst: Instruction) -> Step:
    result, (_scope, operation, words) = inst.result_id, inst.ints()

    def step(r: Registers, s: State) -> None:
        r[result] = _count_bits(operation, r[words], s)

    return step


# ----------------------------------------------------------------------------------------------------------- quads


@builds(op.OpGroupNonUniformQuadBroadcast, op.OpGroupNonUniformQuadSwap)
def _quad(context: Context, inst: Instruction) -> Step:
    result, (_scope, value, which) = inst.result_id, inst.ints()
    is_swap = inst.op == op.OpGroupNonUniformQuadSwap
    direction = context.constant(which)
    if is_swap and direction is None:
        raise NotInterpretedError("OpGroupNonUniformQuadSwap with a variable direction")

    def step(r: Registers, s: State) -> None:
        def exchange(leaf: Array) -> Array:
            quads = in_quads(leaf, s)
            if is_swap:
                return from_quads(quads[..., np.arange(4) ^ (direction + 1 if direction is not None else 0)], s)
            index = in_quads(r[which], s).astype(np.int64) & 3
            return from_quads(np.take_along_axis(quads, np.broadcast_to(index, quads.shape), axis=-1), s)

        r[result] = map_leaves(exchange, r[value])

    return step


@builds(op.OpGroupNonUniformQuadAllKHR, op.OpGroupNonUniformQuadAnyKHR)
def _quad_vote(_: Context, inst: Instruction) -> Step:
    result, value = inst.result_id, inst.id(0)
    is_all = inst.op == op.OpGroupNonUniformQuadAllKHR

    def step(r: Registers, s: State) -> None:
        bits, active = in_quads(r[value], s), in_quads(s.mask.bits, s)
        vote: Any = (bits | ~active).all(axis=-1) if is_all else (bits & active).any(axis=-1)
        r[result] = from_quads(np.broadcast_to(vote[..., None], active.shape), s)

    return step
