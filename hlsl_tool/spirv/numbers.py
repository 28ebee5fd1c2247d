"""Format literal numbers as SPIRV-Tools does: %g with all significant digits, or hexadecimal if that is not exact."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from . import op
from .ir import Instruction, Operand

# bits: (fraction bits, exponent bias, exponent mask)
_FORMATS = {16: (10, 15, 0x1F), 32: (23, 127, 0xFF), 64: (52, 1023, 0x7FF)}


def literal_bits(operands: Sequence[Operand]) -> int:
    """Return the bits of a literal of one or more words as one number."""
    bits = 0
    for index, word in enumerate(operands):
        assert isinstance(word, int)
        bits |= word << 32 * index
    return bits


def hex_float(bits: int, width: int) -> str:
    """Format a float like ``0x1.8p+1``, exactly; infinities and NaNs have exponents beyond the type's range."""
    fraction_bits, bias, exponent_mask = _FORMATS[width]
    nibbles = (fraction_bits + 3) // 4
    exponent = bits >> fraction_bits & exponent_mask
    top = 1 << (nibbles * 4 - 1)
    fraction = (bits & ((1 << fraction_bits) - 1)) << (nibbles * 4 - fraction_bits)
    is_zero = exponent == 0 and fraction == 0
    power = 0 if is_zero else exponent - bias
    if exponent == 0 and not is_zero:
        while not fraction & top:
            fraction <<= 1
            power -= 1
        fraction = fraction << 1 & ((1 << nibbles * 4) - 1)
    while nibbles and not fraction & 0xF:
        fraction >>= 4
        nibbles -= 1
    sign = "-" if bits >> (width - 1) & 1 else ""
    digits = f".{fraction:0{nibbles}x}" if nibbles else ""
    return f"{sign}0x{'0' if is_zero else '1'}{digits}p{power:+d}"


def format_float(bits: int, width: int) -> str:
    """Format a float: decimal if it is normal or zero, else hexadecimal; 16-bit floats always hexadecimal."""
    if width not in _FORMATS:
        return str(bits)
    fraction_bits, _, exponent_mask = _FORMATS[width]
    exponent = bits >> fraction_bits & exponent_mask
    is_zero = bits & ((1 << (width - 1)) - 1) == 0
    if width == 16 or exponent == exponent_mask or (exponent == 0 and not is_zero):
        return hex_float(bits & ((1 << width) - 1), width)
    if width == 32:
        return f"{struct.unpack('<f', struct.pack('<I', bits))[0]:.9g}"
    return f"{struct.unpack('<d', struct.pack('<Q', bits))[0]:.17g}"


def format_number(number_type: Instruction | None, operands: Sequence[Operand]) -> str:
    """Format the literal of an OpConstant or OpSwitch whose type is ``number_type``."""
    bits = literal_bits(operands)
    if number_type is None or not number_type.operands:
        return str(bits)
    width = number_type.id(0)
    if number_type.op == op.OpTypeFloat:
        return format_float(bits, width)
    size = 32 * max(len(operands), 1)
    if number_type.op == op.OpTypeInt and number_type.operands[1] and bits >> (size - 1):
        bits -= 1 << size
    return str(bits)
