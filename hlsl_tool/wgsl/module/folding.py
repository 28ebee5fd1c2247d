"""Integer operations that OpSpecConstantOp uses for array lengths."""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.spirv import op

FOLDS: dict[int, Callable[..., int]] = {
    op.OpIAdd: lambda a, b: a + b,
    op.OpISub: lambda a, b: a - b,
    op.OpIMul: lambda a, b: a * b,
    op.OpUDiv: lambda a, b: a // b if b else 0,
    op.OpSDiv: lambda a, b: a // b if b else 0,
    op.OpUMod: lambda a, b: a % b if b else 0,
    op.OpShiftLeftLogical: lambda a, b: a << (b & 31),
    op.OpShiftRightLogical: lambda a, b: a >> (b & 31),
    op.OpBitwiseAnd: lambda a, b: a & b,
    op.OpBitwiseOr: lambda a, b: a | b,
    op.OpSelect: lambda c, a, b: a if c else b,
}
"""Opcode → result for integer operands, without wrapping to 32 bits; a division by zero gives 0."""
