"""Interpolation of a pixel shader's inputs at positions other than the pixel's (manual: *Intrinsic Functions*)."""

from __future__ import annotations

from hlsl_tool.codegen.lower.core import casts, constants, memory
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import intrinsic
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.types.kinds import type_name
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.spirv import glsl, op

_NUMBERS = {
    "EvaluateAttributeCentroid": glsl.InterpolateAtCentroid,
    "EvaluateAttributeAtSample": glsl.InterpolateAtSample,
    "EvaluateAttributeSnapped": glsl.InterpolateAtOffset,
}


@intrinsic(*_NUMBERS)
def _evaluate(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    """Lower an interpolation function, whose instruction takes a pointer to the input variable.

    The operand written here is the input's value; legalisation replaces it by the input variable. Under ``-fcgl`` it is
    DXC's copy in a local variable. For a swizzle, the complete vector is interpolated first.
    """
    swizzle = _swizzle(c.args[0]) if not ctx.options.codegen_only else None
    v = memory.load(ctx, ctx.expr(c.args[0] if swizzle is None else swizzle.base))
    if ctx.options.codegen_only:
        interpolant = memory.temporary(ctx, v, f"temp.var.{type_name(v.type)}").id
    else:
        interpolant = v.id
        ctx.needs_legalization()
    operands = [interpolant]
    for a in c.args[1:]:
        x = memory.load(ctx, ctx.expr(a))
        operands.append(_offset(ctx, x) if c.name == "EvaluateAttributeSnapped" else x.id)
    result = ctx.b.glsl(_NUMBERS[c.name], ctx.type(v.type), *operands)
    if swizzle is None:
        return ctx.rvalue(result, c.type)
    n = ty.component_count(c.type)
    picked = swizzle.components
    if n == 1:
        return ctx.rvalue(ctx.b.extract(result, picked[0]), c.type)
    return ctx.rvalue(ctx.b.shuffle(result, result, picked[:n]), c.type)


def _offset(ctx: Lowering, x: Value) -> int:
    """Return an offset in pixels for ``EvaluateAttributeSnapped``.

    Direct3D uses the lowest four bits, as a signed number of sixteenths of a pixel. DXC, and ``-fcgl``, convert the
    integers directly.
    """
    b, pixels = ctx.b, ty.vector(ty.FLOAT, 2)
    if ctx.options.codegen_only:
        return casts.convert(ctx, x, pixels).id
    signed, numbers = ctx.type(x.type), ctx.type(pixels)
    nibble = b.emit(op.OpBitFieldSExtract, signed, x.id, b.const_uint(0), b.const_uint(4))
    sixteenths = casts.convert(ctx, ctx.rvalue(nibble, x.type), pixels).id
    return b.binary(op.OpFMul, numbers, sixteenths, constants.splat(ctx, 1 / 16, pixels))


def _swizzle(e: hir.Expr) -> hir.Swizzle | None:
    """Return the swizzle if an expression is one of a float vector; otherwise ``None``."""
    while isinstance(e, hir.Load):
        e = e.operand
    if isinstance(e, hir.Swizzle) and isinstance(e.base.type, ty.Vector) and e.base.type.size > 1:
        return e
    return None
