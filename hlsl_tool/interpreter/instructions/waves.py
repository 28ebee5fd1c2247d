"""Operations of waves and quads, and derivatives."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import IMAGE_READS, SUBGROUP
from hlsl_tool.spirv.enums import GroupOperation
from hlsl_tool.spirv.grammar import tables
from hlsl_tool.spirv.ir import Instruction

from ..runtime.code import Step
from ..runtime.quads import across, down, flat, from_quads, in_quads, rows, wide
from ..runtime.state import State
from ..runtime.values import Array, signed, unsigned
from .context import Context, add_rows, builds, with_state

DERIVATIVES = frozenset(
    (
        *range(op.OpDPdx, op.OpFwidthCoarse + 1),
        *(number for number in IMAGE_READS if "ImplicitLod" in tables.INSTRUCTIONS[number][0]),
        op.OpImageQueryLod,
    )
)
"""Opcodes that need the differences to the other lanes of a quad."""
_QUAD_EXCHANGES = frozenset(
    (
        op.OpGroupNonUniformQuadAllKHR,
        op.OpGroupNonUniformQuadAnyKHR,
        op.OpGroupNonUniformQuadBroadcast,
        op.OpGroupNonUniformQuadSwap,
    )
)
QUADS = DERIVATIVES | _QUAD_EXCHANGES
"""Opcodes that look at the other lanes of a quad."""
WAVES = (SUBGROUP | {op.OpGroupNonUniformRotateKHR, op.OpGroupNonUniformPartitionEXT}) - QUADS
"""Opcodes that look at the other lanes of a wave."""

# ----------------------------------------------------------------------------------------------------------- quads


def _width(value: Array, state: State, *, coarse: bool = False) -> Array:
    return np.abs(across(value, state, coarse=coarse)) + np.abs(down(value, state, coarse=coarse))


def _from_quad(value: Array, lane: Array, s: State) -> Array:
    """Return the values of other lanes of the quads, given the number of a lane for each."""
    quads = in_quads(value, s)
    return from_quads(np.take_along_axis(quads, np.broadcast_to(lane & 3, quads.shape), axis=-1), s)


def _swapped(value: Array, direction: Array, s: State) -> Array:
    return _from_quad(value, np.arange(4) ^ in_quads(direction, s).astype(np.int64) + 1, s)


def _quad_any(value: Array, s: State) -> Array:
    vote: Any = (in_quads(value, s) & in_quads(s.mask.bits, s)).any(axis=-1, keepdims=True)
    return from_quads(np.repeat(vote, 4, axis=-1), s)


add_rows(
    {
        op.OpDPdx: across,
        op.OpDPdy: down,
        op.OpFwidth: _width,
        op.OpDPdxFine: across,
        op.OpDPdyFine: down,
        op.OpFwidthFine: _width,
        op.OpDPdxCoarse: partial(across, coarse=True),
        op.OpDPdyCoarse: partial(down, coarse=True),
        op.OpFwidthCoarse: partial(_width, coarse=True),
        op.OpGroupNonUniformQuadAnyKHR: _quad_any,
        op.OpGroupNonUniformQuadAllKHR: lambda value, s: ~_quad_any(~value, s),
    },
    with_state,
)
add_rows(
    {
        op.OpGroupNonUniformQuadBroadcast: lambda value, lane, s: _from_quad(
            value, in_quads(lane, s).astype(np.int64), s
        ),
        op.OpGroupNonUniformQuadSwap: _swapped,
    },
    with_state,
    skip=1,
)

# ------------------------------------------------------------------------------------------------------ reductions

REDUCTIONS = {
    op.OpGroupNonUniformIAdd: np.add,
    op.OpGroupNonUniformFAdd: np.add,
    op.OpGroupNonUniformIMul: np.multiply,
    op.OpGroupNonUniformFMul: np.multiply,
    op.OpGroupNonUniformSMin: np.minimum,
    op.OpGroupNonUniformUMin: np.minimum,
    op.OpGroupNonUniformFMin: np.fmin,
    op.OpGroupNonUniformSMax: np.maximum,
    op.OpGroupNonUniformUMax: np.maximum,
    op.OpGroupNonUniformFMax: np.fmax,
    op.OpGroupNonUniformBitwiseAnd: np.bitwise_and,
    op.OpGroupNonUniformBitwiseOr: np.bitwise_or,
    op.OpGroupNonUniformBitwiseXor: np.bitwise_xor,
    op.OpGroupNonUniformLogicalAnd: np.logical_and,
    op.OpGroupNonUniformLogicalOr: np.logical_or,
    op.OpGroupNonUniformLogicalXor: np.logical_xor,
}
_SIGNED = (op.OpGroupNonUniformSMin, op.OpGroupNonUniformSMax)
_INCLUSIVE = (GroupOperation.InclusiveScan, GroupOperation.PartitionedInclusiveScanEXT)
_EXCLUSIVE = (GroupOperation.ExclusiveScan, GroupOperation.PartitionedExclusiveScanEXT)


def _takes_part(operation: int, lane: Any, of: Array) -> Array | bool:
    """Return whether a lane takes part in the result of another one."""
    if operation in _INCLUSIVE:
        return lane <= of
    return lane < of if operation in _EXCLUSIVE else True


def _neutral(function: np.ufunc, dtype: np.dtype[Any]) -> Any:
    """Return the number that changes no other one by a reduction."""
    if function.identity is not None:
        return np.array(function.identity).astype(dtype)
    least, most = (-np.inf, np.inf) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return dtype.type(most if function in (np.minimum, np.fmin) else least)


@builds(*REDUCTIONS)
def _reduce(context: Context, inst: Instruction) -> Step:
    function, (_scope, operation, *operands) = REDUCTIONS[inst.op], inst.ints()
    width = context.constant(operands[1]) if operation == GroupOperation.ClusteredReduce else None

    def reduced(value: Array, *rest: Any) -> Array:
        *extra, s = rest
        if operation >= GroupOperation.PartitionedReduceEXT:
            return _partitioned(function, value, extra[0], operation, s)
        return _scanned(function, value, operation, width or s.shape.wave, s)

    def reduced_signed(value: Array, *rest: Any) -> Array:
        return unsigned(reduced(signed(value), *rest))

    return with_state(reduced_signed if inst.op in _SIGNED else reduced, inst.result_id, operands)


def _scanned(function: np.ufunc, value: Array, operation: int, width: int, s: State) -> Array:
    neutral = _neutral(function, value.dtype)
    active = np.where(s.mask.bits, wide(value, s.shape.lanes), neutral)
    parts = rows(active, s.shape.lanes, width)
    scan = function.accumulate(parts, axis=-1, dtype=parts.dtype)
    if operation == GroupOperation.InclusiveScan:
        return flat(scan)
    if operation == GroupOperation.ExclusiveScan:
        out = np.empty_like(scan)
        out[..., 0] = neutral
        out[..., 1:] = scan[..., :-1]
        return flat(out)
    return flat(np.broadcast_to(scan[..., -1:], scan.shape))


def _partitioned(function: np.ufunc, value: Array, ballot: Array, operation: int, s: State) -> Array:
    """Reduce among the lanes of a wave that have the same ballot."""
    parts, active, bits = _in_waves(value, s), _active(s), _bits(ballot, s)
    out = np.full(parts.shape, _neutral(function, value.dtype))
    own = np.arange(s.shape.wave)
    for other in own:
        chosen = _in_waves(bits[other], s) & active[..., other : other + 1] & _takes_part(operation, other, own)
        out = np.where(chosen, function(out, parts[..., other : other + 1]), out)
    return flat(out)


# ----------------------------------------------------------------------------------------------------------- votes


def _in_waves(value: Array, s: State) -> Array:
    """Return a value with the axis of lanes split into waves."""
    return rows(value, s.shape.lanes, s.shape.wave)


def _active(s: State) -> Array:
    return _in_waves(s.mask.bits, s)


def _spread(value: Any, s: State) -> Array:
    """Return a value with an entry for each wave as one with an entry for each lane."""
    return np.repeat(value, s.shape.wave, axis=-1)


def _ballot(bits: Array, s: State) -> Array:
    """Return four words whose bits are those of the active lanes of each wave."""
    chosen = _in_waves(bits, s) & _active(s)
    packed = np.zeros((chosen.shape[0], 16), np.uint8)
    part = np.packbits(chosen, axis=-1, bitorder="little")
    packed[:, : part.shape[-1]] = part
    return _spread(packed.view(np.uint32).T, s)


def _any(value: Array, s: State) -> Array:
    return _spread((_in_waves(value, s) & _active(s)).any(axis=-1), s)


def _all(value: Array, s: State) -> Array:
    return ~_any(~value, s)


def _first(value: Array, s: State) -> Array:
    """Return the value of the first active lane of each wave."""
    lane = np.argmax(_active(s), axis=-1)
    return _from_lane(value, _spread(lane, s), s)


def _all_equal(value: Array, s: State) -> Array:
    equal = wide(value, s.shape.lanes) == _first(value, s)
    return _all(equal.reshape(-1, s.shape.lanes).all(axis=0), s)


def _elect(s: State) -> Array:
    return s.mask.bits & (_lane(s) == _spread(np.argmax(_active(s), axis=-1), s))


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
    at = wide(lane, s.shape.lanes).astype(np.int64)
    word = np.take_along_axis(wide(words, s.shape.lanes), np.clip(at // 32, 0, 3)[None], axis=0)[0]
    return (word >> (at % 32).astype(np.uint32) & np.uint32(1)) != 0


def _bits(words: Array, s: State) -> Array:
    """Return a ballot as booleans: one axis for the bits in front."""
    lane = np.arange(s.shape.wave)
    return (wide(words, s.shape.lanes)[lane // 32] >> (lane % 32).astype(np.uint32)[:, None] & np.uint32(1)) != 0


def _count_bits(operation: int, words: Array, s: State) -> Array:
    counted = _bits(words, s) & _takes_part(operation, np.arange(s.shape.wave)[:, None], _lane(s))
    return counted.sum(axis=0).astype(np.uint32)


def _matching(value: Any, s: State) -> Array:
    """Return the ballot of the lanes that have the same value."""
    out = np.zeros((4, s.shape.lanes), np.uint32)
    own, active = _in_waves(value, s), _active(s)
    for other in range(s.shape.wave):
        same = own == own[..., other : other + 1]
        if same.ndim > 2:
            same = same.reshape(-1, *same.shape[-2:]).all(axis=0)
        bits = flat(same & active[..., other : other + 1])
        out[other // 32] |= bits.astype(np.uint32) << np.uint32(other % 32)
    return out


add_rows(
    {
        op.OpGroupNonUniformAll: _all,
        op.OpGroupNonUniformAny: _any,
        op.OpGroupNonUniformAllEqual: _all_equal,
        op.OpGroupNonUniformBroadcast: _from_lane,
        op.OpGroupNonUniformBroadcastFirst: _first,
        op.OpGroupNonUniformBallot: _ballot,
        op.OpGroupNonUniformInverseBallot: lambda words, s: _bit_of(words, _lane(s), s),
        op.OpGroupNonUniformBallotBitExtract: _bit_of,
        op.OpGroupNonUniformBallotFindLSB: lambda words, s: np.argmax(_bits(words, s), axis=0).astype(np.uint32),
        op.OpGroupNonUniformBallotFindMSB: lambda words, s: (
            s.shape.wave - 1 - np.argmax(_bits(words, s)[::-1], axis=0)
        ).astype(np.uint32),
        op.OpGroupNonUniformShuffle: _from_lane,
        op.OpGroupNonUniformShuffleXor: lambda value, bits, s: _from_lane(value, _lane(s) ^ bits, s),
        op.OpGroupNonUniformShuffleUp: lambda value, delta, s: _from_lane(value, _lane(s) - delta.astype(np.int64), s),
        op.OpGroupNonUniformShuffleDown: lambda value, delta, s: _from_lane(
            value, _lane(s) + delta.astype(np.int64), s
        ),
        op.OpGroupNonUniformElect: _elect,
        op.OpGroupNonUniformRotateKHR: _rotated,
    },
    with_state,
    skip=1,
)
add_rows({op.OpGroupNonUniformPartitionEXT: _matching}, with_state)  # it has no scope


@builds(op.OpGroupNonUniformBallotBitCount)
def _bit_count(_: Context, inst: Instruction) -> Step:
    return with_state(partial(_count_bits, inst.id(1)), inst.result_id, [inst.id(2)])
