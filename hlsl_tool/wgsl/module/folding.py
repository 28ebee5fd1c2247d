"""The integers that specialisation constants have by default."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hlsl_tool.spirv import op
from hlsl_tool.wgsl.errors import Unsupported

if TYPE_CHECKING:
    from hlsl_tool.wgsl.module.view import View


def evaluate(view: View, constant: int) -> int:
    """The integer of a constant, or the one that a specialisation constant or an operation on some has by default."""
    known = view.default(constant)
    if known is not None:
        return known
    inst = view.defs[constant]
    compute = FOLDS.get(inst.id(0)) if inst.op == op.OpSpecConstantOp else None
    if compute is None:
        raise Unsupported("the length of an array is computed in a way that is not supported", constant)
    return compute(*[evaluate(view, operand) for operand in inst.ints()[1:]]) & 0xFFFFFFFF


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
