"""Packed bytes, and dot products with an accumulator (Shader Model 6.4 and 6.6)."""

from __future__ import annotations

from hlsl_tool.codegen.lower.core import constants
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import intrinsic
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.intrinsics.elementwise import arguments
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.builder import Member
from hlsl_tool.spirv.enums import Capability, PackedVectorFormat


@intrinsic("dot2add")
def _dot2add(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    """Lower ``dot2add``: products in half precision, the sum in single precision; or one instruction by extension."""
    b = ctx.b
    left, right, accumulator = arguments(ctx, c)
    if ctx.is_enabled("SPV_VALVE_mixed_float_dot_product"):
        return ctx.rvalue(b.emit(op.OpFDot2MixAcc32VALVE, b.f32(), left, right, accumulator), c.type)
    products = b.binary(op.OpFMul, b.type_id_of(left), left, right)
    wide = b.unary(op.OpFConvert, b.vector(b.f32(), 2), products)
    total = b.binary(op.OpFAdd, b.f32(), b.extract(wide, 0), b.extract(wide, 1))
    return ctx.rvalue(b.binary(op.OpFAdd, b.f32(), total, accumulator), c.type)


@intrinsic("dot4add_i8packed", "dot4add_u8packed")
def _dot4add(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    """Lower ``dot4add``, whose sum wraps, unlike that of the saturating instructions with an accumulator."""
    b = ctx.b
    left, right, accumulator = arguments(ctx, c)
    b.extension("SPV_KHR_integer_dot_product")
    b.capability(Capability.DotProduct)
    b.capability(Capability.DotProductInput4x8BitPacked)
    opcode = op.OpSDot if c.name == "dot4add_i8packed" else op.OpUDot
    t = ctx.type(c.type)
    dot = b.emit(opcode, t, left, right, PackedVectorFormat.PackedVectorFormat4x8Bit)
    return ctx.rvalue(b.binary(op.OpIAdd, t, dot, accumulator), c.type)


_LIMITS = {"pack_clamp_s8": (-128, 127), "pack_clamp_u8": (0, 255)}


@intrinsic("pack_s8", "pack_u8", *_LIMITS)
def _pack(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    """Pack the low byte of each component into a word, the first component in the lowest byte."""
    b = ctx.b
    (x,) = arguments(ctx, c)
    t = c.args[0].type
    element = ty.element_of(t)
    assert element is not None
    signed = element.category == "int"
    limits = _LIMITS.get(c.name)
    if limits is not None:
        low, high = (constants.splat(ctx, n, t) for n in limits)
        x = b.glsl(glsl.SClamp, ctx.type(t), x, low, high)
    bytes_of = b.vector(b.int_type(8, signed), 4)
    x = b.unary(op.OpSConvert if signed else op.OpUConvert, bytes_of, x)
    return ctx.rvalue(b.unary(op.OpBitcast, ctx.type(c.type), x), c.type)


@intrinsic("unpack_s8s16", "unpack_s8s32", "unpack_u8u16", "unpack_u8u32")
def _unpack(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    b = ctx.b
    (x,) = arguments(ctx, c)
    signed = c.name.startswith("unpack_s8")
    parts = b.unary(op.OpBitcast, b.vector(b.int_type(8, signed), 4), x)
    return ctx.rvalue(b.unary(op.OpSConvert if signed else op.OpUConvert, ctx.type(c.type), parts), c.type)


@intrinsic("AddUint64")
def _add_uint64(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    """Lower ``AddUint64``: add 64-bit numbers given as pairs of words, low word first."""
    b = ctx.b
    left, right = arguments(ctx, c)
    u32 = b.u32()
    both = b.struct("", [Member(u32), Member(u32)])
    parts: list[int] = []
    for i in range(0, ty.component_count(c.type), 2):
        low = b.emit(op.OpIAddCarry, both, b.extract(left, i), b.extract(right, i))
        high = b.binary(op.OpIAdd, u32, b.extract(left, i + 1), b.extract(right, i + 1))
        parts += [b.extract(low, 0), b.binary(op.OpIAdd, u32, high, b.extract(low, 1))]
    return ctx.rvalue(b.construct(ctx.type(c.type), parts), c.type)
