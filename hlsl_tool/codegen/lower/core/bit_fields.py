"""Reads and writes of bit-fields; struct values split into their members and constructed from them."""

from __future__ import annotations

from hlsl_tool.codegen.layout.rules import Rule
from hlsl_tool.codegen.lower.core import casts
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.core.values import Value
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Enum, Struct, Type
from hlsl_tool.spirv import op


def extract_bits(ctx: Lowering, word: int, v: Value) -> int:
    """Return the value of the bit-field ``v``, given the value of the word that contains it."""
    assert v.bits is not None
    return _extract(ctx, word, v.type, v.bits)


def members(ctx: Lowering, s: Struct, value: int) -> list[tuple[int, Type]]:
    """Return (value, type) of each member of a struct value.

    Extract bit-fields from their words, a boolean one as a uint.
    """
    out: list[tuple[int, Type]] = []
    for p in ctx.types.placed(s, Rule.VOID):
        part = ctx.b.extract(value, p.index)
        if p.bits is not None:
            part = _extract(ctx, part, p.type, (p.bit_offset, p.bits))
        out.append((part, p.type))
    return out


def construct(ctx: Lowering, s: Struct, values: list[int]) -> int:
    """Construct a struct value without layout from the values of its members, and pack bit-fields into their words."""
    b = ctx.b
    parts: list[int] = []
    for p, value in zip(ctx.types.placed(s, Rule.VOID), values, strict=True):
        if p.bits is None:
            parts.append(value)
            continue
        if b.type_of(value).kind == "bool":
            value = casts.numeric(ctx, value, ty.BOOL, ty.UINT)
        if p.index < len(parts):
            parts[p.index] = insert_bits(ctx, parts[p.index], value, (p.bit_offset, p.bits))
        elif ctx.options.codegen_only or p.bits == b.type_of(value).width:
            parts.append(value)  # DXC leaves the upper bits of the first bit-field in the word
        else:
            parts.append(insert_bits(ctx, b.const_null(b.type_id_of(value)), value, (0, p.bits)))
    return b.construct(ctx.type(s), parts)


def _extract(ctx: Lowering, word: int, t: Type, bits: tuple[int, int]) -> int:
    scalar = t.underlying if isinstance(t, Enum) else ty.element_of(t)
    signed = scalar is not None and scalar.category == "int"
    if ctx.b.type_of(word).width != 32:  # the bit-field instructions are for 32 bits only
        return _shift_out_bits(ctx, word, bits, signed)
    offset, width = (ctx.b.const_uint(n) for n in bits)
    opcode = op.OpBitFieldSExtract if signed else op.OpBitFieldUExtract
    return ctx.b.emit(opcode, ctx.b.type_id_of(word), word, offset, width)


def _shift_out_bits(ctx: Lowering, word: int, bits: tuple[int, int], signed: bool) -> int:
    b = ctx.b
    t, total = b.type_id_of(word), b.type_of(word).width
    offset, width = bits
    up = b.binary(op.OpShiftLeftLogical, t, word, b.const_uint(total - offset - width))
    down = op.OpShiftRightArithmetic if signed else op.OpShiftRightLogical
    return b.binary(down, t, up, b.const_uint(total - width))


def insert_bits(ctx: Lowering, word: int, value: int, bits: tuple[int, int]) -> int:
    """Return ``word`` with ``value`` in its ``bits`` (offset, width)."""
    b = ctx.b
    t, total = b.type_id_of(word), b.type_of(word).width
    offset, width = bits
    if total == 32:
        return b.emit(op.OpBitFieldInsert, t, word, value, b.const_uint(offset), b.const_uint(width))
    mask = ((1 << width) - 1) << offset
    unsigned = b.int_type(total, False)
    others = b.binary(op.OpBitwiseAnd, t, word, b.const_scalar(mask ^ ((1 << total) - 1), unsigned))
    shifted = b.binary(op.OpShiftLeftLogical, t, b.unary(op.OpBitcast, t, value), b.const_uint(offset))
    return b.binary(op.OpBitwiseOr, t, others, b.binary(op.OpBitwiseAnd, t, shifted, b.const_scalar(mask, unsigned)))
