"""Opcodes of atomic operations."""

from __future__ import annotations

from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Scalar, Type
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.kinds import FLOAT_ATOMICS

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

FLOAT_OPCODES: dict[str, int] = {
    "Add": op.OpAtomicFAddEXT,
    "Min": op.OpAtomicFMinEXT,
    "Max": op.OpAtomicFMaxEXT,
    "Exchange": op.OpAtomicExchange,
}
"""Name without ``Interlocked`` → instruction for floats."""


def opcode_of(name: str, element: Scalar) -> int:
    """Return the opcode of an atomic operation (``"Add"``) on memory with components of type ``element``."""
    if element.category == "float":
        return FLOAT_OPCODES[name]
    signed, unsigned = OPCODES[name]
    return signed if element.category == "int" else unsigned


_ADD = {
    16: "SPV_EXT_shader_atomic_float16_add",
    32: "SPV_EXT_shader_atomic_float_add",
    64: "SPV_EXT_shader_atomic_float_add",
}
"""Width of a float → the extension with its sums."""


def check_extension(ctx: Lowering, opcode: int, t: Type, what: str, pos: int) -> None:
    """Report an atomic on floats or half vectors if the extension that it needs may not be used."""
    if isinstance(t, ty.Vector):
        ctx.require_extension("SPV_NV_shader_atomic_fp16_vector", what, pos)
    elif opcode in FLOAT_ATOMICS:
        assert isinstance(t, Scalar)
        is_sum = opcode == op.OpAtomicFAddEXT
        ctx.require_extension(_ADD[t.bits] if is_sum else "SPV_EXT_shader_atomic_float_min_max", what, pos)
