"""Opcodes of atomic operations."""

from __future__ import annotations

from hlsl_tool.spirv import op

OPCODES: dict[str, tuple[int, int]] = {
    "Add": (op.OpAtomicIAdd, op.OpAtomicIAdd),
    "And": (op.OpAtomicAnd, op.OpAtomicAnd),
    "Or": (op.OpAtomicOr, op.OpAtomicOr),
    "Xor": (op.OpAtomicXor, op.OpAtomicXor),
    "Min": (op.OpAtomicSMin, op.OpAtomicUMin),
    "Max": (op.OpAtomicSMax, op.OpAtomicUMax),
    "Exchange": (op.OpAtomicExchange, op.OpAtomicExchange),
}
"""Name without ``Interlocked`` → instruction for signed and for unsigned integers."""
