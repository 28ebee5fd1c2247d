"""Integer operations that OpSpecConstantOp uses for array lengths."""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.spirv import op


def _signed(word: int) -> int:
    word &= 0xFFFFFFFF
    return word - (1 << 32) if word >> 31 else word


def _divide_signed(a: int, b: int) -> int:
    """Return the quotient of two 32-bit integers, rounded towards 0."""
    a, b = _signed(a), _signed(b)
    quotient = abs(a) // abs(b) if b else 0
    return quotient if (a < 0) == (b < 0) else -quotient


FOLDS: dict[int, Callable[..., int]] = {
    op.OpIAdd: lambda a, b: a + b,
    op.OpISub: lambda a, b: a - b,
    op.OpIMul: lambda a, b: a * b,
    op.OpUDiv: lambda a, b: a // b if b else 0,
    op.OpSDiv: _divide_signed,
    op.OpUMod: lambda a, b: a % b if b else 0,
    op.OpShiftLeftLogical: lambda a, b: a << (b & 31),
    op.OpShiftRightLogical: lambda a, b: a >> (b & 31),
    op.OpBitwiseAnd: lambda a, b: a & b,
    op.OpBitwiseOr: lambda a, b: a | b,
    op.OpSelect: lambda c, a, b: a if c else b,
}
"""Opcode → result for integer operands, without wrapping to 32 bits; a division by zero gives 0."""
