"""Components of 8 bits, and bfloat16, of which a ``uint`` holds several: plain code packs and unpacks them."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.codegen.lower.core import casts
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.linear_algebra import conversions
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Scalar
from hlsl_tool.spirv import glsl, op

I8, U8, E4M3, E5M2, BFLOAT16 = 19, 20, 21, 22, 23
"""Numbers of ``ComponentType``."""
IN_A_WORD = {I8: 4, U8: 4, E4M3: 4, E5M2: 4, BFLOAT16: 2}
"""Component type → how many of its numbers a ``uint`` holds."""
_SHORT_INTEGERS = {I8: (ty.INT8, ty.INT), U8: (ty.UINT8, ty.UINT)}
"""Component type → (its type, the type of its unpacked numbers)."""
_SCALE = 256.0
"""The quotient of a float with the exponent bias 15 and one with the same bits and the bias 7."""
_NAN = {E4M3: 0x7F, E5M2: 0x7F, BFLOAT16: 0x7FC0}
"""Component type → the bits of a NaN."""


class _Words:
    """Operations on words: ids of type ``uint``."""

    def __init__(self, ctx: Lowering) -> None:
        self.ctx, self.b = ctx, ctx.b

    def __call__(self, opcode: int, left: int, right: int) -> int:
        """Emit an operation with a constant as its right operand."""
        return self.b.binary(opcode, self.b.u32(), left, self.b.const_uint(right))

    def part(self, word: int, shift: int, mask: int) -> int:
        """Return bits of a word, shifted to the left, or, with a negative ``shift``, to the right."""
        opcode = op.OpShiftLeftLogical if shift > 0 else op.OpShiftRightLogical
        return self(op.OpBitwiseAnd, self(opcode, word, abs(shift)) if shift else word, mask)

    def either(self, left: int, right: int) -> int:
        return self.b.binary(op.OpBitwiseOr, self.b.u32(), left, right)

    def rounded(self, word: int, bits: int) -> int:
        """Return a word without its lowest bits, rounded to the nearest even number."""
        odd = self.part(word, -bits, 1)
        total = self.b.binary(op.OpIAdd, self.b.u32(), self(op.OpIAdd, word, (1 << (bits - 1)) - 1), odd)
        return self(op.OpShiftRightLogical, total, bits)

    def half(self, number: int) -> int:
        """Return the bits of a ``float`` that is rounded to 16 bits."""
        pair = self.b.construct(self.b.vector(self.b.f32(), 2), [number, self.b.const_f32(0.0)])
        return self.b.glsl(glsl.PackHalf2x16, self.b.u32(), pair)

    def number(self, bits: int) -> int:
        """Return the ``float`` that is equal to one of 16 bits."""
        pair = self.b.glsl(glsl.UnpackHalf2x16, self.b.vector(self.b.f32(), 2), bits)
        return self.b.extract(pair, 0)


def unpack(ctx: Lowering, words: Sequence[int], component: int, count: int) -> tuple[list[int], Scalar]:
    """Return the numbers that words hold, and their type: ``int``, ``uint`` or ``float``."""
    per_word = IN_A_WORD[component]
    _, target = _SHORT_INTEGERS.get(component, (ty.FLOAT, ty.FLOAT))
    bits = 32 // per_word
    numbers = []
    for index in range(min(count, len(words) * per_word)):
        word, first = words[index // per_word], index % per_word * bits
        if target.is_integer:
            numbers.append(_integer(ctx, word, first, target))
        else:
            numbers.append(_decoded(ctx, _Words(ctx).part(word, -first, (1 << bits) - 1), component))
    return numbers, target


def _integer(ctx: Lowering, word: int, first: int, target: Scalar) -> int:
    b = ctx.b
    if target is ty.INT:
        signed = b.unary(op.OpBitcast, b.i32(), word)
        return b.emit(op.OpBitFieldSExtract, b.i32(), signed, b.const_uint(first), b.const_uint(8))
    return b.emit(op.OpBitFieldUExtract, b.u32(), word, b.const_uint(first), b.const_uint(8))


def _decoded(ctx: Lowering, bits: int, component: int) -> int:
    """Return the ``float`` that is equal to a small one."""
    words, b = _Words(ctx), ctx.b
    if component == BFLOAT16:
        return b.unary(op.OpBitcast, b.f32(), words(op.OpShiftLeftLogical, bits, 16))
    if component == E5M2:
        return words.number(words(op.OpShiftLeftLogical, bits, 8))
    magnitude = words.part(bits, 0, 0x7F)
    half = words.either(words.part(bits, 8, 0x8000), words(op.OpShiftLeftLogical, magnitude, 7))
    number = b.binary(op.OpFMul, b.f32(), words.number(half), b.const_f32(_SCALE))
    is_nan = b.binary(op.OpIEqual, b.bool_type(), magnitude, b.const_uint(_NAN[E4M3]))
    return b.select(is_nan, b.const_bits(0x7FC00000, b.f32()), number)


def pack(ctx: Lowering, numbers: Sequence[int], source: Scalar, component: int) -> list[int]:
    """Return the words that hold numbers, converted to a component type; missing numbers are 0."""
    b, per_word = ctx.b, IN_A_WORD[component]
    words = []
    for start in range(0, len(numbers), per_word):
        word = b.const_uint(0)
        for index, number in enumerate(numbers[start : start + per_word]):
            place = b.const_uint(index * 32 // per_word), b.const_uint(32 // per_word)
            word = b.emit(op.OpBitFieldInsert, b.u32(), word, _encoded(ctx, number, source, component), *place)
        words.append(word)
    return words


def _encoded(ctx: Lowering, number: int, source: Scalar, component: int) -> int:
    """Return the bits of a number in the lowest ones of a word; higher ones may be set, too."""
    words, b = _Words(ctx), ctx.b
    if component in _SHORT_INTEGERS:
        short, target = _SHORT_INTEGERS[component]
        number = casts.convert(ctx, ctx.rvalue(conversions.saturated(ctx, number, source, short), source), target).id
        return b.unary(op.OpBitcast, b.u32(), number) if target is ty.INT else number
    number = conversions.scalar(ctx, number, source, ty.FLOAT)
    if component == E5M2:
        bits = words.rounded(words.half(number), 8)
    elif component == BFLOAT16:
        bits = words.rounded(b.unary(op.OpBitcast, b.u32(), number), 16)
    else:
        half = words.half(b.binary(op.OpFMul, b.f32(), number, b.const_f32(1 / _SCALE)))
        largest = b.const_uint(_NAN[E4M3] - 1)
        magnitude = b.glsl(glsl.UMin, b.u32(), words.rounded(words.part(half, 0, 0x7FFF), 7), largest)
        bits = words.either(magnitude, words.part(half, -8, 0x80))
    is_nan = b.unary(op.OpIsNan, b.bool_type(), number)
    return b.select(is_nan, b.const_uint(_NAN[component]), bits)
