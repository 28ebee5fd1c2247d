"""Bits: reinterpretation, counting, packing."""

from __future__ import annotations

import math
import struct

from hlsl_tool.base.diagnostics.catalogue import lower as codes
from hlsl_tool.codegen.lower.core import casts, constants
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.registry import intrinsic
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.codegen.lower.intrinsics.elementwise import arguments, each
from hlsl_tool.codegen.lower.intrinsics.math import write_out
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.constants import evaluate
from hlsl_tool.frontend.sema.model.types import Type
from hlsl_tool.spirv import glsl, op


def _element(t: Type) -> ty.Scalar:
    element = ty.element_of(t)
    assert element is not None
    return element


@intrinsic("asint", "asuint", "asfloat", "asint16", "asuint16", "asfloat16", "asdouble")
def _as_type(ctx: Lowering, c: hir.IntrinsicCall) -> Value | None:
    if len(c.args) == 3:
        _split_double(ctx, c)
        return None
    args = arguments(ctx, c)
    if len(args) == 2:
        return _fuse_double(ctx, c, args)
    t = c.args[0].type
    if ctx.types.scalar(_element(t)) == ctx.types.scalar(_element(c.type)):
        return ctx.rvalue(args[0], c.type)
    folded = None if ctx.options.codegen_only else _bits_of_half(c)
    if folded is not None:
        return ctx.rvalue(constants.constant(ctx, folded, c.type), c.type)
    return ctx.rvalue(each(ctx, t, c.type, args, lambda r, a: ctx.b.unary(op.OpBitcast, ctx.type(r), a[0])), c.type)


def _bits_of_half(c: hir.IntrinsicCall) -> int | None:
    """Fold ``asint16`` of a constant half; ``None`` for other calls.

    SPIRV-Tools would fold OpBitcast without sign extension.
    """
    value = evaluate(c.args[0]) if c.type is ty.INT16 and c.args[0].type is ty.FLOAT16 else None
    if not isinstance(value, float) or math.isnan(value):
        return None
    return int(struct.unpack("<h", struct.pack("<e", value))[0])


def _fuse_double(ctx: Lowering, c: hir.IntrinsicCall, args: list[int]) -> Value:
    """Lower ``asdouble(low, high)``."""
    b = ctx.b
    double, pair = b.float_type(64), b.vector(b.u32(), 2)

    def act(r: Type, a: list[int]) -> int:
        n = ty.component_count(r)
        if n == 1:
            return b.unary(op.OpBitcast, double, b.construct(pair, a))
        parts = [b.unary(op.OpBitcast, double, b.shuffle(a[0], a[1], [i, n + i])) for i in range(n)]
        return b.construct(ctx.type(r), parts)

    return ctx.rvalue(each(ctx, c.args[0].type, c.type, args, act), c.type)


def _split_double(ctx: Lowering, c: hir.IntrinsicCall) -> None:
    """Lower ``asuint(double, out low, out high)``."""
    from hlsl_tool.codegen.lower.core import memory

    b, t = ctx.b, c.args[0].type
    value = memory.load(ctx, ctx.expr(c.args[0])).id
    as_uint = ty.with_element(t, ty.UINT)
    pair = b.vector(b.u32(), 2)

    def halves(x: int, n: int) -> tuple[int, int]:
        lows, highs = [], []
        for i in range(n):
            both = b.unary(op.OpBitcast, pair, x if n == 1 else b.extract(x, i))
            lows.append(b.extract(both, 0))
            highs.append(b.extract(both, 1))
        if n == 1:
            return lows[0], highs[0]
        vec = b.vector(b.u32(), n)
        return b.construct(vec, lows), b.construct(vec, highs)

    if casts.is_matrix(t):
        assert isinstance(t, ty.Matrix)
        rows = [halves(b.extract(value, i), t.cols) for i in range(t.rows)]
        low, high = (b.construct(ctx.type(as_uint), [r[k] for r in rows]) for k in (0, 1))
    else:
        low, high = halves(value, ty.component_count(t))
    write_out(ctx, c.args[1], low, as_uint)
    write_out(ctx, c.args[2], high, as_uint)


@intrinsic("isnormal")
def _isnormal(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    """Lower ``isnormal``: test that the exponent bits are neither all zeros nor all ones."""
    b = ctx.b
    args = arguments(ctx, c)
    t = c.args[0].type
    half = _element(t).bits == 16
    as_int, mask = (ty.UINT16, 0x7C00) if half else (ty.UINT, 0x7F800000)

    def act(r: Type, a: list[int]) -> int:
        ints = ty.with_element(r, as_int)
        bits = b.unary(op.OpBitcast, ctx.type(ints), a[0])
        ones = constants.splat(ctx, mask, ints)
        exponent = b.binary(op.OpBitwiseAnd, ctx.type(ints), bits, ones)
        not_zero = b.binary(op.OpINotEqual, ctx.type(r), exponent, constants.zero(ctx, ints))
        not_ones = b.binary(op.OpINotEqual, ctx.type(r), exponent, ones)
        return b.binary(op.OpLogicalAnd, ctx.type(r), not_zero, not_ones)

    return ctx.rvalue(each(ctx, t, c.type, args, act), c.type)


@intrinsic("reversebits")
def _reversebits(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    return _on_32_bits(ctx, c, op.OpBitReverse)


@intrinsic("countbits")
def _countbits(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    return _on_32_bits(ctx, c, op.OpBitCount)


def _on_32_bits(ctx: Lowering, c: hir.IntrinsicCall, opcode: int) -> Value:
    """Lower an operation that Vulkan only has for 32 bits: split 64-bit operands into halves, widen 8 and 16 bits."""
    b = ctx.b
    args = arguments(ctx, c)
    t = c.args[0].type
    bits = _element(t).bits

    def act(r: Type, a: list[int]) -> int:
        if bits == 64:
            return _in_halves(ctx, a[0], ty.with_element(r, _element(t)), r, opcode)
        if bits < 32:
            wide = ty.with_element(r, ty.UINT)
            x = b.unary(opcode, ctx.type(wide), b.unary(op.OpUConvert, ctx.type(wide), a[0]))
            if opcode == op.OpBitReverse:
                x = b.binary(op.OpShiftRightLogical, ctx.type(wide), x, constants.splat(ctx, 32 - bits, wide))
            return casts.numeric(ctx, x, wide, r)
        own_type = ctx.type(ty.with_element(r, _element(t))) if opcode == op.OpBitReverse else ctx.type(r)
        return b.unary(opcode, own_type, a[0])

    return ctx.rvalue(each(ctx, t, c.type, args, act), c.type)


def _in_halves(ctx: Lowering, x: int, t: Type, result: Type, opcode: int) -> int:
    b = ctx.b
    uints = ty.with_element(t, ty.UINT)
    if opcode == op.OpBitCount:
        u, same = ctx.type(uints), ctx.type(t)
        low = b.unary(opcode, u, b.unary(op.OpUConvert, u, x))
        shifted = b.binary(op.OpShiftRightLogical, same, x, constants.splat(ctx, 32, uints))
        high = b.unary(opcode, u, b.unary(op.OpUConvert, u, shifted))
        return casts.numeric(ctx, b.binary(op.OpIAdd, u, high, low), uints, result)
    unsigned = ty.with_element(t, ty.UINT64)
    x = casts.numeric(ctx, x, t, unsigned)
    low = b.unary(op.OpUConvert, ctx.type(uints), x)
    thirty_two = constants.splat(ctx, 32, unsigned)
    high = b.unary(op.OpUConvert, ctx.type(uints), b.binary(op.OpShiftRightLogical, ctx.type(unsigned), x, thirty_two))
    low, high = b.unary(opcode, ctx.type(uints), low), b.unary(opcode, ctx.type(uints), high)
    wide_low = b.unary(op.OpUConvert, ctx.type(unsigned), low)
    wide_high = b.unary(op.OpUConvert, ctx.type(unsigned), high)
    up = b.binary(op.OpShiftLeftLogical, ctx.type(unsigned), wide_low, thirty_two)
    return casts.numeric(ctx, b.binary(op.OpBitwiseOr, ctx.type(unsigned), up, wide_high), unsigned, result)


@intrinsic("firstbithigh", "firstbitlow")
def _firstbit(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    b = ctx.b
    args = arguments(ctx, c)
    t = c.args[0].type
    signed = _element(t).category == "int"
    number = glsl.FindILsb if c.name == "firstbitlow" else glsl.FindSMsb if signed else glsl.FindUMsb
    bits = _element(t).bits
    if bits != 32 and ctx.options.codegen_only:
        ctx.fail(codes.FIRST_BIT_WIDTH, c.pos, name=c.name)

    def act(r: Type, a: list[int]) -> int:
        own = ty.with_element(r, _element(t))
        if bits == 64:
            return _firstbit_64(ctx, a[0], own, r, number)
        x = casts.numeric(ctx, a[0], own, ty.with_element(r, ty.INT if signed else ty.UINT)) if bits < 32 else a[0]
        return casts.numeric(ctx, b.glsl(number, ctx.type(r), x), r, r)

    return ctx.rvalue(each(ctx, t, c.type, args, act), c.type)


def _firstbit_64(ctx: Lowering, x: int, t: Type, result: Type, number: int) -> int:
    """Lower ``firstbithigh`` or ``firstbitlow`` of 64 bits: search the high or low half first, then the other.

    ``number`` is the GLSL.std.450 instruction that searches 32 bits; ``t`` is the type of ``x``.
    """
    b = ctx.b
    uints, unsigned, to = ty.with_element(t, ty.UINT), ty.with_element(t, ty.UINT64), ctx.type(result)
    bools = ctx.type(ty.with_element(t, ty.BOOL))
    x = casts.numeric(ctx, x, t, unsigned)
    low = b.unary(op.OpUConvert, ctx.type(uints), x)
    high = b.unary(
        op.OpUConvert,
        ctx.type(uints),
        b.binary(op.OpShiftRightLogical, ctx.type(unsigned), x, constants.splat(ctx, 32, uints)),
    )
    if number == glsl.FindSMsb:  # a negative number is searched for its highest zero
        sign = b.binary(
            op.OpSLessThan,
            bools,
            b.unary(op.OpBitcast, ctx.type(ty.with_element(t, ty.INT)), high),
            constants.zero(ctx, ty.with_element(t, ty.INT)),
        )
        low = b.select(sign, b.unary(op.OpNot, ctx.type(uints), low), low)
        high = b.select(sign, b.unary(op.OpNot, ctx.type(uints), high), high)
        number = glsl.FindUMsb
    first, second = (low, high) if number == glsl.FindILsb else (high, low)
    none = constants.splat(ctx, 0xFFFFFFFF, uints)
    at_first, at_second = b.glsl(number, to, first), b.glsl(number, to, second)
    missing = b.binary(op.OpIEqual, bools, at_first, none)
    thirty_two = constants.splat(ctx, 32, uints)
    if number == glsl.FindILsb:
        there = b.binary(op.OpIEqual, bools, at_second, none)
        moved = b.select(there, none, b.binary(op.OpIAdd, to, at_second, thirty_two))
        return b.select(missing, moved, at_first)
    return b.select(missing, at_second, b.binary(op.OpIAdd, to, at_first, thirty_two))


@intrinsic("f16tof32")
def _f16tof32(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    b = ctx.b
    args = arguments(ctx, c)
    pair = b.vector(b.f32(), 2)

    def act(r: Type, a: list[int]) -> int:
        n = ty.component_count(r)
        parts = [
            b.extract(b.glsl(glsl.UnpackHalf2x16, pair, a[0] if n == 1 else b.extract(a[0], i)), 0) for i in range(n)
        ]
        return parts[0] if n == 1 else b.construct(ctx.type(r), parts)

    return ctx.rvalue(each(ctx, c.args[0].type, c.type, args, act), c.type)


@intrinsic("f32tof16")
def _f32tof16(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    b = ctx.b
    args = arguments(ctx, c)
    pair = b.vector(b.f32(), 2)

    def act(r: Type, a: list[int]) -> int:
        n, zero = ty.component_count(r), b.const_f32(0.0)
        parts = []
        for i in range(n):
            x = a[0] if n == 1 else b.extract(a[0], i)
            parts.append(b.glsl(glsl.PackHalf2x16, b.u32(), b.construct(pair, [x, zero])))
        return parts[0] if n == 1 else b.construct(ctx.type(r), parts)

    return ctx.rvalue(each(ctx, c.args[0].type, c.type, args, act), c.type)


def _windows(ctx: Lowering, source: int) -> list[int]:
    """Return the ids of four words: each is the four bytes of ``source`` from one of the byte offsets 0 to 3 on.

    ``source`` is the id of a vector of two words, which are eight bytes with the lowest first.
    """
    b = ctx.b
    shift = op.OpShiftRightLogical
    if ctx.options.codegen_only:  # DXC shifts the other way; its DXIL does not
        shift = op.OpShiftLeftLogical
    low = b.extract(source, 0)
    shifted = [b.binary(shift, b.u32(), low, b.const_uint(8 * i)) for i in range(1, 4)]
    high = b.extract(source, 1)
    return [
        low,
        *(
            b.emit(op.OpBitFieldInsert, b.u32(), base, high, b.const_uint(32 - 8 * i), b.const_uint(8 * i))
            for i, base in enumerate(shifted, 1)
        ),
    ]


@intrinsic("msad4")
def _msad4(ctx: Lowering, c: hir.IntrinsicCall) -> Value:
    """Lower ``msad4``: masked sums of absolute differences of bytes, at four byte offsets into ``source``."""
    b = ctx.b
    if not ctx.options.no_warn_emulated_features:
        ctx.warn(codes.EMULATED_MSAD4, c.pos)
    reference, source, accum = arguments(ctx, c)
    u32, boolean, i32 = b.u32(), b.bool_type(), b.i32()
    const = b.const_uint
    ctx.at_begin(c)
    windows = _windows(ctx, source)
    totals = [b.extract(accum, i) for i in range(4)]
    refs: list[int] = []
    is_zero: list[int] = []
    for k in range(4):
        byte = b.emit(op.OpBitFieldUExtract, u32, reference, const(8 * k), const(8))
        refs.append(b.unary(op.OpBitcast, i32, byte))
        is_zero.append(b.binary(op.OpIEqual, boolean, byte, const(0)))
    for i, window in enumerate(windows):
        for k in range(4):
            byte = b.unary(op.OpBitcast, i32, b.emit(op.OpBitFieldUExtract, u32, window, const(8 * k), const(8)))
            difference = b.binary(op.OpISub, i32, refs[k], byte)
            distance = b.unary(op.OpBitcast, u32, b.glsl(glsl.SAbs, i32, difference))
            totals[i] = b.binary(op.OpIAdd, u32, totals[i], b.select(is_zero[k], const(0), distance))
    return ctx.rvalue(b.construct(ctx.type(c.type), totals), c.type)
