"""Arithmetic, bits, comparisons and logic: tables of functions on arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Instruction

from ..runtime.code import Step
from ..runtime.values import Array, reinterpreted, signed, unsigned
from .context import Context, add_rows, builds, pure


def on_signed(function: Callable[..., Any]) -> Callable[..., Array]:
    """Return a function of unsigned arrays that applies another one to the signed numbers of the same bits."""

    def wrapped(*arrays: Array) -> Array:
        result = function(*(signed(array) for array in arrays))
        return result if result.dtype == np.bool_ else unsigned(result)

    return wrapped


# -------------------------------------------------------------------------------------------------------- integers


def _by_nonzero(function: Callable[..., Any]) -> Callable[..., Array]:
    """Return a division of unsigned integers; one by zero gives all ones, as in Direct3D."""
    return lambda a, b: np.where(b == 0, ~np.zeros((), b.dtype), function(a, b))


def _sdiv(a: Array, b: Array) -> Array:
    """Divide and round towards zero."""
    quotient: Array = (a - np.fmod(a, b)) // b
    return quotient


def _umul_extended(a: Array, b: Array) -> list[Array]:
    """Return the low and the high half of products, which are sums of products of halves."""
    half = a.dtype.type(a.dtype.itemsize * 4)
    low = (a.dtype.type(1) << half) - a.dtype.type(1)
    a0, a1, b0, b1 = a & low, a >> half, b & low, b >> half
    middle = (a0 * b0 >> half) + (a1 * b0 & low) + a0 * b1
    return [a * b, a1 * b1 + (a1 * b0 >> half) + (middle >> half)]


def _smul_extended(a: Array, b: Array) -> list[Array]:
    low, high = _umul_extended(a, b)
    zero = a.dtype.type(0)
    return [low, high - np.where(signed(a) < 0, b, zero) - np.where(signed(b) < 0, a, zero)]


def _amount(of: Array, amount: Array) -> Array:
    """Return the amount of a shift, of which only the low bits count."""
    return (amount & amount.dtype.type(_bits(of) - 1)).astype(of.dtype)


def _shift_right_signed(a: Array, b: Array) -> Array:
    return unsigned(signed(a) >> signed(_amount(a, b)))


def _bits(of: Array) -> int:
    return of.dtype.itemsize * 8


def _field(of: Array, offset: Array, count: Array) -> tuple[Array, Array]:
    """Return the offset of a bit field, and numbers whose ``count`` low bits are set."""
    ones, zero = ~np.zeros((), of.dtype), np.zeros((), of.dtype)
    unset = np.clip(_bits(of) - count.astype(np.int64), 0, _bits(of) - 1).astype(of.dtype)
    return np.minimum(offset, _bits(of) - 1).astype(of.dtype), np.where(count == 0, zero, ones >> unset)


def _insert_bits(base: Array, insert: Array, offset: Array, count: Array) -> Array:
    at, ones = _field(base, offset, count)
    return (base & ~(ones << at)) | ((insert & ones) << at)


def _extract_unsigned(base: Array, offset: Array, count: Array) -> Array:
    at, ones = _field(base, offset, count)
    return base >> at & ones


def _extract_signed(base: Array, offset: Array, count: Array) -> Array:
    at, ones = _field(base, offset, count)
    sign = ones & ~(ones >> base.dtype.type(1))
    value = base >> at & ones
    return (value ^ sign) - sign


_REVERSED = np.array([int(f"{number:08b}"[::-1], 2) for number in range(256)], np.uint8)
_COUNTS = np.array([number.bit_count() for number in range(256)], np.uint8)


def _bytes_of(a: Array) -> Array:
    """Return the bytes of numbers as the last axis."""
    return np.ascontiguousarray(a)[..., None].view(np.uint8)


def reverse_bits(a: Array) -> Array:
    """Return numbers with their bits in reverse order."""
    swapped: Array = _REVERSED[_bytes_of(a)].view(a.dtype)[..., 0].byteswap()
    return swapped


def bit_count(a: Array) -> Array:
    """Return how many bits of numbers are set."""
    return _COUNTS[_bytes_of(a)].sum(axis=-1, dtype=a.dtype)


add_rows(
    {
        op.OpSNegate: np.negative,
        op.OpIAdd: np.add,
        op.OpISub: np.subtract,
        op.OpIMul: np.multiply,
        op.OpUDiv: _by_nonzero(np.floor_divide),
        op.OpSDiv: on_signed(_sdiv),
        op.OpUMod: _by_nonzero(np.mod),
        op.OpSRem: on_signed(np.fmod),
        op.OpSMod: on_signed(np.mod),
        op.OpIAddCarry: lambda a, b: [a + b, (a + b < a).astype(a.dtype)],
        op.OpISubBorrow: lambda a, b: [a - b, (a < b).astype(a.dtype)],
        op.OpUMulExtended: _umul_extended,
        op.OpSMulExtended: _smul_extended,
        op.OpShiftLeftLogical: lambda a, b: a << _amount(a, b),
        op.OpShiftRightLogical: lambda a, b: a >> _amount(a, b),
        op.OpShiftRightArithmetic: _shift_right_signed,
        op.OpBitwiseOr: np.bitwise_or,
        op.OpBitwiseXor: np.bitwise_xor,
        op.OpBitwiseAnd: np.bitwise_and,
        op.OpNot: np.invert,
        op.OpBitFieldInsert: _insert_bits,
        op.OpBitFieldUExtract: _extract_unsigned,
        op.OpBitFieldSExtract: _extract_signed,
        op.OpBitReverse: reverse_bits,
        op.OpBitCount: bit_count,
    }
)

# ---------------------------------------------------------------------------------------------------------- floats


def dot(a: Array, b: Array) -> Array:
    """Return the sum of the products of components, added one after the other; of scalars their product."""
    if a.ndim == 1:
        return a * b
    total = a[0] * b[0]
    for number in range(1, a.shape[0]):
        total = total + a[number] * b[number]
    return total


def _matrix_times_matrix(left: Array, right: Array) -> Array:
    return dot(left[:, None], np.swapaxes(right, 0, 1)[:, :, None])


def _transpose(a: Array) -> Array:
    return np.swapaxes(a, 0, 1)


add_rows(
    {
        op.OpFNegate: np.negative,
        op.OpFAdd: np.add,
        op.OpFSub: np.subtract,
        op.OpFMul: np.multiply,
        op.OpFDiv: np.divide,
        op.OpFRem: np.fmod,
        op.OpFMod: np.mod,
        op.OpVectorTimesScalar: np.multiply,
        op.OpMatrixTimesScalar: np.multiply,
        op.OpDot: dot,
        op.OpFDot2MixAcc32VALVE: lambda a, b, c: (  # of halves and a float, rounded once
            dot(a.astype(np.float64), b.astype(np.float64)) + c
        ).astype(np.float32),
        op.OpMatrixTimesVector: lambda matrix, vector: dot(matrix, vector[:, None]),
        op.OpVectorTimesMatrix: lambda vector, matrix: dot(_transpose(matrix), vector[:, None]),
        op.OpMatrixTimesMatrix: _matrix_times_matrix,
        op.OpOuterProduct: lambda a, b: b[:, None] * a,
        op.OpTranspose: _transpose,
        op.OpIsNan: np.isnan,
        op.OpIsInf: np.isinf,
        op.OpIsFinite: np.isfinite,
        op.OpSignBitSet: np.signbit,
    }
)

# ----------------------------------------------------------------------------------------------------- comparisons


def _differ(a: Array, b: Array) -> Array:
    return (a < b) | (a > b)


def _are_unordered(a: Array, b: Array) -> Array:
    return np.isnan(a) | np.isnan(b)


def _not(function: Callable[..., Any]) -> Callable[..., Array]:
    return lambda a, b: ~function(a, b)


add_rows(
    {
        op.OpAny: lambda a: a.any(axis=0),
        op.OpAll: lambda a: a.all(axis=0),
        op.OpLogicalEqual: np.equal,
        op.OpLogicalNotEqual: np.not_equal,
        op.OpLogicalOr: np.logical_or,
        op.OpLogicalAnd: np.logical_and,
        op.OpLogicalNot: np.logical_not,
        op.OpIEqual: np.equal,
        op.OpINotEqual: np.not_equal,
        op.OpUGreaterThan: np.greater,
        op.OpUGreaterThanEqual: np.greater_equal,
        op.OpULessThan: np.less,
        op.OpULessThanEqual: np.less_equal,
        op.OpSGreaterThan: on_signed(np.greater),
        op.OpSGreaterThanEqual: on_signed(np.greater_equal),
        op.OpSLessThan: on_signed(np.less),
        op.OpSLessThanEqual: on_signed(np.less_equal),
        op.OpFOrdEqual: np.equal,
        op.OpFOrdNotEqual: _differ,
        op.OpFOrdLessThan: np.less,
        op.OpFOrdGreaterThan: np.greater,
        op.OpFOrdLessThanEqual: np.less_equal,
        op.OpFOrdGreaterThanEqual: np.greater_equal,
        op.OpFUnordEqual: _not(_differ),
        op.OpFUnordNotEqual: np.not_equal,
        op.OpFUnordLessThan: _not(np.greater_equal),
        op.OpFUnordGreaterThan: _not(np.less_equal),
        op.OpFUnordLessThanEqual: _not(np.greater),
        op.OpFUnordGreaterThanEqual: _not(np.less),
        op.OpOrdered: _not(_are_unordered),
        op.OpUnordered: _are_unordered,
        op.OpLessOrGreater: _differ,
        op.OpPtrEqual: np.equal,
        op.OpPtrNotEqual: np.not_equal,
    }
)

# ------------------------------------------------------------------------------------------ dot products of integers


def _products(a: Array, b: Array, left_signed: bool, right_signed: bool) -> Array:
    """Return the dot product of vectors of integers, or of words with four bytes each, with 64 bits."""
    left, right = (reinterpreted(x, np.uint8) if x.ndim == 1 else x for x in (a, b))
    wide_left = (signed(left) if left_signed else left).astype(np.int64)
    wide_right = (signed(right) if right_signed else right).astype(np.int64)
    return (wide_left * wide_right).sum(axis=0)


_SIGNS = {
    op.OpSDot: (True, True),
    op.OpUDot: (False, False),
    op.OpSUDot: (True, False),
    op.OpSDotAccSat: (True, True),
    op.OpUDotAccSat: (False, False),
    op.OpSUDotAccSat: (True, False),
}
"""Opcode → whether the components of each vector are signed."""


@builds(*_SIGNS)
def _integer_dot(context: Context, inst: Instruction) -> Step:
    signs, dtype = _SIGNS[inst.op], context.numbers_of(inst)
    limits = np.iinfo(f"{'i' if signs[0] else 'u'}{dtype.itemsize}")

    def saturated(a: Array, b: Array, total: Array) -> Array:
        summed = _products(a, b, *signs) + total.view(limits.dtype).astype(np.int64)
        return unsigned(np.clip(summed, limits.min, limits.max).astype(limits.dtype))

    if inst.op in (op.OpSDot, op.OpUDot, op.OpSUDot):
        return pure(lambda a, b: _products(a, b, *signs).astype(dtype), inst.result_id, inst.ints()[:2])
    return pure(saturated, inst.result_id, inst.ints()[:3])
