"""``ddx``, ``ddy``, ``fwidth`` and their variants (manual: *Intrinsic Functions*)."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import availability
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.quads import need_derivatives
from hlsl_tool.codegen.lower.core.registry import INTRINSICS
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.intrinsics.elementwise import arguments, each
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.spirv import op

OPCODES: dict[str, int] = {
    "ddx": op.OpDPdx,
    "ddx_coarse": op.OpDPdxCoarse,
    "ddx_fine": op.OpDPdxFine,
    "ddy": op.OpDPdy,
    "ddy_coarse": op.OpDPdyCoarse,
    "ddy_fine": op.OpDPdyFine,
    "fwidth": op.OpFwidth,
}


_WITHOUT = {"vs": "vertex", "hs": "hull", "ds": "domain", "gs": "geometry"}
"""Stage without derivatives → its name."""


def _derivative(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    """Lower a derivative; convert 16-bit values to 32 bits for the instruction."""
    b = ctx.b
    if ctx.stage in _WITHOUT:
        ctx.error(availability.DERIVATIVE_STAGE, c.pos, name=c.name, stage=_WITHOUT[ctx.stage])
    need_derivatives(ctx)
    args, opcode = arguments(ctx, c), OPCODES[c.name]

    def act(t: ty.Type, a: list[int]) -> int:
        element = ty.element_of(t)
        if element is not None and element.bits == 16:
            wide = ctx.type(ty.with_element(t, ty.FLOAT))
            r = b.unary(opcode, wide, b.unary(op.OpFConvert, wide, a[0]))
            return b.unary(op.OpFConvert, ctx.type(t), r)
        return b.unary(opcode, ctx.type(t), a[0])

    return ctx.rvalue(each(ctx, c.type, c.type, args, act), c.type)


for _name in OPCODES:
    INTRINSICS[_name] = _derivative
