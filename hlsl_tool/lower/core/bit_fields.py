"""Reads and writes of bit-fields within a word."""

from __future__ import annotations

from hlsl_tool.lower.core.context import Lowering
from hlsl_tool.lower.core.values import Value
from hlsl_tool.sema import types as ty
from hlsl_tool.spirv import op


def extract_bits(ctx: Lowering, word: int, v: Value) -> int:
    """Return the value of a bit-field, given the word that holds it."""
    assert v.bits is not None
    element = ty.element_of(v.type)
    signed = element is not None and element.category == "int"
    if ctx.b.type_of(word).width != 32:  # the bit-field instructions are for 32 bits only
        return _shift_out_bits(ctx, word, v.bits, signed)
    offset, width = (ctx.b.const_uint(n) for n in v.bits)
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
