"""Arithmetic, bits, comparisons and logic: tables of functions on arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hlsl_tool.spirv import op

from ..runtime.values import Array, signed, unsigned
from .context import add_rows


def on_signed(function: Callable[..., Any]) -> Callable[..., Array]:
    """Return a function of unsigned arrays that applies another one to the signed numbers of the same bits."""

    def wrapped(*arrays: Array) -> Array:
        return unsigned(function(*(signed(array) for array in arrays)))

    return wrapped


def _compared(function: Callable[..., Any]) -> Callable[..., Array]:
    def wrapped(a: Array, b: Array) -> Array:
        return function(signed(a), signed(b))

    return wrapped


# -------------------------------------------------------------------------------------------------------- integers


def _udiv(a: Array, b: Array) -> Array:
    """Divide; a division by zero gives all ones, as in Direct3D."""
    return np.where(b == 0, ~np.zeros((), b.dtype), a // b)


def _umod(a: Array, b: Array) -> Array:
    return np.where(b == 0, ~np.zeros((), b.dtype), a % b)


def _sdiv(a: Array, b: Array) -> Array:
    """Divide and round towards zero."""
    quotient: Array = (a - np.fmod(a, b)) // b
    return quotient


def _carry(a: Array, b: Array) -> list[Array]:
    total = a + b
    return [total, (total < a).astype(a.dtype)]


def _borrow(a: Array, b: Array) -> list[Array]:
    return [a - b, (a < b).astype(a.dtype)]


def _wide_product(a: Array, b: Array, wide: str) -> list[Array]:
    """Return the low and the high half of the product of integers of at most 32 bits."""
    bits = a.dtype.itemsize * 8
    product = a.astype(wide) * b.astype(wide)
    kind = np.dtype(f"u{a.dtype.itemsize}")
    return [product.astype(kind), (product >> bits).astype(kind)]


def _umul_extended(a: Array, b: Array) -> list[Array]:
    if a.dtype.itemsize < 8:
        return _wide_product(a, b, "u8")
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    a0, a1, b0, b1 = a & low, a >> half, b & low, b >> half
    middle = (a0 * b0 >> half) + (a1 * b0 & low) + a0 * b1
    return [a * b, a1 * b1 + (a1 * b0 >> half) + (middle >> half)]


def _smul_extended(a: Array, b: Array) -> list[Array]:
    if a.dtype.itemsize < 8:
        return _wide_product(signed(a), signed(b), "i8")
    low, high = _umul_extended(a, b)
    return [low, high - np.where(signed(a) < 0, b, 0) - np.where(signed(b) < 0, a, 0)]


def _amount(of: Array, amount: Array) -> Array:
    """Return the amount of a shift, of which only the low bits count."""
    bits = of.dtype.itemsize * 8
    return (amount & amount.dtype.type(bits - 1)).astype(of.dtype)


def _shift_left(a: Array, b: Array) -> Array:
    return a << _amount(a, b)


def _shift_right(a: Array, b: Array) -> Array:
    return a >> _amount(a, b)


def _shift_right_signed(a: Array, b: Array) -> Array:
    return unsigned(signed(a) >> signed(_amount(a, b)))


def _field(of: Array, count: Array) -> Array:
    """Return a number with ``count`` low bits set."""
    bits = of.dtype.itemsize * 8
    wide = count.astype(of.dtype)
    ones = ~np.zeros((), of.dtype)
    return np.where(wide >= bits, ones, ~(ones << np.minimum(wide, of.dtype.type(bits - 1))))


def _insert_bits(base: Array, insert: Array, offset: Array, count: Array) -> Array:
    at = np.minimum(offset, offset.dtype.type(base.dtype.itemsize * 8 - 1)).astype(base.dtype)
    field = np.where(count == 0, base.dtype.type(0), _field(base, count) << at)
    return (base & ~field) | (insert << at & field)


def _extract_unsigned(base: Array, offset: Array, count: Array) -> Array:
    at = np.minimum(offset, offset.dtype.type(base.dtype.itemsize * 8 - 1)).astype(base.dtype)
    return np.where(count == 0, base.dtype.type(0), base >> at & _field(base, count))


def _extract_signed(base: Array, offset: Array, count: Array) -> Array:
    bits = base.dtype.itemsize * 8
    field = _extract_unsigned(base, offset, count)
    unused = np.clip(bits - count.astype(np.int64), 0, bits - 1).astype(base.dtype)
    return np.where(count == 0, base.dtype.type(0), _shift_right_signed(field << unused, unused))


def reverse_bits(a: Array) -> Array:
    """Reverse the order of the bits of each number."""
    out = np.zeros_like(a)
    one = a.dtype.type(1)
    for bit in range(a.dtype.itemsize * 8):
        out |= (a >> a.dtype.type(bit) & one) << a.dtype.type(a.dtype.itemsize * 8 - 1 - bit)
    return out


def bit_count(a: Array) -> Array:
    """Return the number of set bits of each number, as the same type."""
    size = a.dtype.itemsize
    counts = _COUNTS[np.ascontiguousarray(a)[..., None].view(np.uint8)].reshape(*a.shape, size)
    return counts.sum(axis=-1, dtype=a.dtype)


_COUNTS = np.array([number.bit_count() for number in range(256)], np.uint8)


add_rows(
    {
        op.OpSNegate: np.negative,
        op.OpIAdd: np.add,
        op.OpISub: np.subtract,
        op.OpIMul: np.multiply,
        op.OpUDiv: _udiv,
        op.OpSDiv: on_signed(_sdiv),
        op.OpUMod: _umod,
        op.OpSRem: on_signed(np.fmod),
        op.OpSMod: on_signed(np.mod),
        op.OpIAddCarry: _carry,
        op.OpISubBorrow: _borrow,
        op.OpUMulExtended: _umul_extended,
        op.OpSMulExtended: _smul_extended,
        op.OpShiftLeftLogical: _shift_left,
        op.OpShiftRightLogical: _shift_right,
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
    """Return the sum of the products of components, added one after the other."""
    total = a[0] * b[0]
    for number in range(1, a.shape[0]):
        total = total + a[number] * b[number]
    return total


def _mixed_dot(a: Array, b: Array, c: Array) -> Array:
    """Return the dot product of halves and a float, rounded once."""
    return (dot(a.astype(np.float64), b.astype(np.float64)) + c).astype(np.float32)


def _matrix_times_vector(matrix: Array, vector: Array) -> Array:
    return dot(matrix, vector[:, None])


def _vector_times_matrix(vector: Array, matrix: Array) -> Array:
    return dot(np.swapaxes(matrix, 0, 1), vector[:, None])


def _matrix_times_matrix(left: Array, right: Array) -> Array:
    total = left[0] * right[:, 0, None]
    for number in range(1, left.shape[0]):
        total = total + left[number] * right[:, number, None]
    return total


def _outer_product(a: Array, b: Array) -> Array:
    return b[:, None] * a


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
        op.OpFDot2MixAcc32VALVE: _mixed_dot,
        op.OpMatrixTimesVector: _matrix_times_vector,
        op.OpVectorTimesMatrix: _vector_times_matrix,
        op.OpMatrixTimesMatrix: _matrix_times_matrix,
        op.OpOuterProduct: _outer_product,
        op.OpTranspose: _transpose,
        op.OpIsNan: np.isnan,
        op.OpIsInf: np.isinf,
        op.OpIsFinite: np.isfinite,
        op.OpSignBitSet: np.signbit,
    }
)

# ----------------------------------------------------------------------------------------------------- comparisons

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
        op.OpSGreaterThan: _compared(np.greater),
        op.OpSGreaterThanEqual: _compared(np.greater_equal),
        op.OpSLessThan: _compared(np.less),
        op.OpSLessThanEqual: _compared(np.less_equal),
        op.OpFOrdEqual: np.equal,
        op.OpFOrdNotEqual: lambda a, b: (a < b) | (a > b),
        op.OpFOrdLessThan: np.less,
        op.OpFOrdGreaterThan: np.greater,
        op.OpFOrdLessThanEqual: np.less_equal,
        op.OpFOrdGreaterThanEqual: np.greater_equal,
        op.OpFUnordEqual: lambda a, b: ~((a < b) | (a > b)),
        op.OpFUnordNotEqual: np.not_equal,
        op.OpFUnordLessThan: lambda a, b: ~(a >= b),
        op.OpFUnordGreaterThan: lambda a, b: ~(a <= b),
        op.OpFUnordLessThanEqual: lambda a, b: ~(a > b),
        op.OpFUnordGreaterThanEqual: lambda a, b: ~(a < b),
        op.OpOrdered: lambda a, b: ~(np.isnan(a) | np.isnan(b)),
        op.OpUnordered: lambda a, b: np.isnan(a) | np.isnan(b),
        op.OpLessOrGreater: lambda a, b: (a < b) | (a > b),
        op.OpPtrEqual: np.equal,
        op.OpPtrNotEqual: np.not_equal,
    }
)

# ---------------------------------------------------------------------------------------------- packed dot products


def _bytes_of(a: Array) -> Array:
    """Return the four bytes of words as the first axis."""
    return np.moveaxis(np.ascontiguousarray(a)[..., None].view(np.uint8), -1, 0) if a.dtype.itemsize == 4 else a


def packed_dot(a: Array, b: Array, left_signed: bool, right_signed: bool, dtype: Any) -> Array:
    """Return the dot product of vectors of integers, or of words with four bytes each, as an unsigned type."""
    left, right = _bytes_of(a) if a.ndim == 1 else a, _bytes_of(b) if b.ndim == 1 else b
    wide_left = (signed(left) if left_signed else left).astype(np.int64)
    wide_right = (signed(right) if right_signed else right).astype(np.int64)
    return (wide_left * wide_right).sum(axis=0).astype(dtype)
