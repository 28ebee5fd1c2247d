from __future__ import annotations

import math

import pytest

from hlsl_tool.frontend.syntax.literals import LiteralError, NumberValue, char_value, parse_number, string_value

NUMBERS = [
    ("0", 0, "literal int", 10),
    ("42", 42, "literal int", 10),
    ("42u", 42, "uint", 10),
    ("42U", 42, "uint", 10),
    ("42l", 42, "int", 10),
    ("42ul", 42, "uint", 10),
    ("42ll", 42, "int64_t", 10),
    ("42ULL", 42, "uint64_t", 10),
    ("0x1F", 31, "literal int", 16),
    ("0xFFFFFFFFu", 0xFFFFFFFF, "uint", 16),
    ("0x10l", 16, "uint", 16),
    ("0xFFFFFFFFFFFFFFFF", (1 << 64) - 1, "literal int", 16),
    ("017", 15, "literal int", 8),
    ("0b101", 5, "literal int", 2),
    ("4294967296u", 0, "uint", 10),
    ("3000000000l", 3000000000 - (1 << 32), "int", 10),
    ("1.5", 1.5, "literal float", 10),
    (".5f", 0.5, "float", 10),
    ("1.", 1.0, "literal float", 10),
    ("1e3", 1000.0, "literal float", 10),
    ("1.5e-2h", 0.015, "half", 10),
    ("1.0l", 1.0, "double", 10),
    ("1.0L", 1.0, "double", 10),
    ("1.0F", 1.0, "float", 10),
    ("1f", 1.0, "float", 10),
    ("1h", 1.0, "half", 10),
    ("0x1.8p1", 3.0, "literal float", 10),
    ("1.#INF", math.inf, "literal float", 10),
    ("20.#INFf", math.inf, "float", 10),
]


@pytest.mark.parametrize(("text", "value", "kind", "radix"), NUMBERS)
def test_numbers(text: str, value: float, kind: str, radix: int) -> None:
    assert parse_number(text) == NumberValue(value, kind, radix)  # type: ignore[arg-type]  # a plain str here


WRONG = [
    ("1x", "invalid suffix 'x' on integer constant"),
    ("1.0u", "invalid suffix 'u' on floating constant"),
    ("1uu", "invalid suffix 'uu' on integer constant"),
    ("089", "invalid digit '8' in octal constant"),
    ("18446744073709551616", "integer literal is too large to be represented in any integer type"),
    ("9" * 10_000, "integer literal is too large to be represented in any integer type"),
    ("0xg", "invalid suffix 'xg' on integer constant"),
    ("..", "invalid number `..`"),
    ("0.#INF", "invalid suffix '#INF' on floating constant"),
    ("01.#INF", "invalid suffix '#INF' on floating constant"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_wrong_numbers(text: str, message: str) -> None:
    with pytest.raises(LiteralError) as error:
        parse_number(text)
    assert str(error.value) == message


def test_strings_and_characters() -> None:
    assert string_value('"a\\tb\\x41\\101\\"\\\\"') == 'a\tbAA"\\'
    assert string_value('"open') == "open"
    assert char_value("'a'") == 97
    assert char_value("'\\n'") == 10
    assert char_value("'\\0'") == 0
    assert char_value("''") == 0
