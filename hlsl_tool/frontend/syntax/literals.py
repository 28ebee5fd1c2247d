"""Number, string and character literals.

The syntax is that of the HLSL reference (integer and floating-point literals): decimal, octal (``017``), hexadecimal
(``0x1F``) and binary (``0b101``) integers with the suffixes ``u`` and ``l``/``ll`` in either order; decimal floats with
``h``, ``f`` or ``l`` (or ``f16``, ``f32``, ``f64``). ``1.#INF`` is infinity. A literal without a suffix has type
*literal int* or *literal float* and takes the size of its context. As in DXC before HLSL 202x, ``l`` has no effect on
an integer (a ``long`` is an ``int``), which wraps to 32 bits, and a sized literal that is not decimal is unsigned.
"""

from __future__ import annotations

import math
import re
from typing import Literal

from hlsl_tool.base.system.dataclass import dataclass

LiteralType = Literal["literal int", "literal float", "int", "uint", "int64_t", "uint64_t", "half", "float", "double"]


@dataclass(slots=True)
class NumberValue:
    """The value, type and base of a numeric literal."""

    value: int | float
    type: LiteralType
    radix: int = 10


class LiteralError(ValueError):
    """Raised for an invalid literal; the message is DXC's where it has one."""


_NUMBER = re.compile(
    r"""(?: 0[xX](?P<hex>[0-9a-fA-F]+)
          | 0[bB](?P<binary>[01]+)
          | (?P<float>(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)
          | (?P<integer>\d+)
        )(?P<suffix>[A-Za-z_]\w*)?""",
    re.VERBOSE,
)
_INFINITY = r"[1-9]\d*\.#INF([A-Za-z_]\w*)?"
_HEX_FLOAT = re.compile(r"(0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?\d+)([A-Za-z_]\w*)?")

_INTEGER_TYPES: dict[str, LiteralType] = {
    "": "literal int",
    "u": "uint",
    "l": "int",
    "ll": "int64_t",
    "ul": "uint",
    "lu": "uint",
    "ull": "uint64_t",
    "llu": "uint64_t",
}
_FLOAT_TYPES: dict[str, LiteralType] = {
    "": "literal float",
    "h": "half",
    "f": "float",
    "l": "double",
    "lf": "double",
    "f16": "half",
    "f32": "float",
    "f64": "double",
}


def parse_number(text: str) -> NumberValue:
    """Return the value and type of a numeric literal; raise ``LiteralError`` if it is invalid."""
    match = _NUMBER.fullmatch(text)
    if match is None or _HEX_FLOAT.fullmatch(text):
        return _parse_odd(text)
    suffix = match["suffix"] or ""
    if match["float"] is not None:
        return NumberValue(float(match["float"]), _type(_FLOAT_TYPES, suffix, "floating"))
    if match["integer"] is not None and suffix.lower() in ("f", "h"):  # `1f`: allowed in HLSL, not in C
        return NumberValue(float(int(match["integer"])), _FLOAT_TYPES[suffix.lower()])
    kind = _type(_INTEGER_TYPES, suffix, "integer")
    if match["hex"] is not None:
        radix, value = 16, int(match["hex"], 16)
    elif match["binary"] is not None:
        radix, value = 2, int(match["binary"], 2)
    else:
        radix, value = _decimal_or_octal(match["integer"])
    if value >= 1 << 64:
        raise LiteralError("integer literal is too large to be represented in any integer type")
    if kind in ("int", "uint"):
        value &= 0xFFFFFFFF
        if radix != 10:
            kind = "uint"
        elif kind == "int" and value >= 1 << 31:
            value -= 1 << 32
    return NumberValue(value, kind, radix)


def _parse_odd(text: str) -> NumberValue:
    match = re.fullmatch(_INFINITY, text)
    if match is not None:
        return NumberValue(math.inf, _type(_FLOAT_TYPES, match[1] or "", "floating"))
    match = re.fullmatch(r"\d+\.(#\w*)", text)
    if match is not None:
        raise LiteralError(f"invalid suffix '{match[1]}' on floating constant")
    match = _HEX_FLOAT.fullmatch(text)
    if match is None:
        raise LiteralError(f"invalid number `{text}`")
    return NumberValue(float.fromhex(match[1]), _type(_FLOAT_TYPES, match[2] or "", "floating"))


def _decimal_or_octal(digits: str) -> tuple[int, int]:
    if digits[0] != "0" or len(digits) == 1:
        if len(digits) > 40:  # exceeds every integer type, and Python refuses to convert thousands of digits
            return 10, 1 << 64
        return 10, int(digits)
    bad = next((digit for digit in digits if digit in "89"), None)
    if bad:
        raise LiteralError(f"invalid digit '{bad}' in octal constant")
    return 8, int(digits, 8)


def _type(types: dict[str, LiteralType], suffix: str, word: str) -> LiteralType:
    result = types.get(suffix.lower())
    if result is None:
        raise LiteralError(f"invalid suffix '{suffix}' on {word} constant")
    return result


# ------------------------------------------------------------------------------------------------ strings, characters

_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]+)|([0-7]{1,3})|(.))", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}


def string_value(text: str) -> str:
    """Return the characters of a quoted string literal with escapes resolved; the closing quote may be missing."""
    inner = text[1:-1] if len(text) > 1 and text.endswith('"') else text[1:]
    return _ESCAPE.sub(_unescape, inner) if "\\" in inner else inner


def char_value(text: str) -> int:
    """Return the code of a character literal; for several characters (``'ab'``) that of the last one."""
    inner = text[1:-1] if len(text) > 1 and text.endswith("'") else text[1:]
    value = _ESCAPE.sub(_unescape, inner)
    return ord(value[-1]) if value else 0


def _unescape(match: re.Match[str]) -> str:
    hexadecimal, octal, other = match.groups()
    if hexadecimal:
        return chr(int(hexadecimal[-6:], 16) & 0xFF)
    if octal:
        return chr(int(octal, 8) & 0xFF)
    return _ESCAPES.get(other, other)
