"""Conditions: ``#if``, ``#ifdef``, ``#elif`` etc."""

from __future__ import annotations

import pytest

from .helper import expand, run

TRUE = (
    "1",
    "-1 < 0",
    "(1 << 62) > 0",
    "0 || 1 && 1",
    "1 || 1/0",
    "!(0 && 1/0)",
    "(0 ? 1/0 : 2) == 2",
    "1 ? 1 : 1/0",
    "defined X && !defined(Y)",
    "'a' == 97 && '\\n' == 10 && '\\x41' == 65 && '\\101' == 65",
    "-7 / 2 == -3 && -7 % 2 == -1 && 7 / -2 == -3",
    "~0 == -1 && !0 && +1 && - -1 == 1",
    "3 > 2 > 0",
    "UNKNOWN == 0",
    "true && !false",
    "010 == 8 && 10UL == 10 && 10llu == 10 && 0b11 == 3 && 0x1F == 31",
    "F(1) && F (1) && F == 0",
    "1 << 2 + 1 == 8",
    "(6 & 3 | 8) == 10 && (6 ^ 3) == 5",
    "3 - 5 < 0",
    "18446744073709551615u > 0",
    "DEF",
    "(1, 2) == 2",
    "1 == 1 /* comment */ // comment",
    "2147483647 + 1 > 0",
    "-1 >> 1 == -1",
    "X ? X : 0",
)
FALSE = ("0", "!1", "UNKNOWN", "defined Y", "1 - 1", "1 > 2", "false", "0 ? 1 : 0", "3 == 2", "1 >> 1")

PRELUDE = "#define X 1\n#define F(x) x\n#define DEF defined(X)\n"


@pytest.mark.parametrize("expression", TRUE)
def test_true(expression: str) -> None:
    assert expand(f"{PRELUDE}#if {expression}\nyes\n#else\nno\n#endif") == "yes"


@pytest.mark.parametrize("expression", FALSE)
def test_false(expression: str) -> None:
    assert expand(f"{PRELUDE}#if {expression}\nyes\n#else\nno\n#endif") == "no"


ERRORS = {
    "": "expected-value",
    "1 +": "expected-value",
    "(1": "expected-rparen",
    "1)": "expected-end",
    "1 2": "preprocessor-operator",
    "1 ? 2": "missing-after",
    "1 : 2": "colon-without-question",
    "1 / 0": "preprocessor-division-by-zero",
    "1 % 0": "preprocessor-remainder-by-zero",
    "1.0": "preprocessor-float",
    "1.5f > 1": "preprocessor-float",
    "* 2": "preprocessor-expression",
    '"a"': "preprocessor-expression",
    "1x": "preprocessor-integer-suffix",
    "089": "preprocessor-digit",
    "99999999999999999999": "preprocessor-integer-size",
    "defined": "macro-name-missing",
    "defined(": "macro-name-missing",
    "defined(X": "missing-after",
    "(" * 5000: "expression-depth",
}


@pytest.mark.parametrize("expression", ERRORS)
def test_error_is_false(expression: str) -> None:
    result = run(f"#if {expression}\nyes\n#else\nno\n#endif")
    assert result.names == [ERRORS[expression]]
    assert result.text == "no"


WARNINGS = {
    "-1 > 0u": ["preprocessor-sign"],
    "9223372036854775807 + 1": ["integer-overflow"],
    "1 << 64": ["integer-overflow"],
}


@pytest.mark.parametrize("expression", WARNINGS)
def test_warning(expression: str) -> None:
    assert run(f"#if {expression}\n#endif").names == WARNINGS[expression]


def test_undefined_names_on_demand() -> None:
    assert run("#if A\n#endif", warnings=("-Wundef",)).names == ["undef"]
    assert run("#if A\n#endif").names == []


def test_many_operators_need_no_stack() -> None:
    assert expand("#if " + "+".join(["1"] * 20000) + " == 20000\nyes\n#endif") == "yes"
    assert expand("#if " + "!" * 20000 + "1\nyes\n#endif") == "yes"


CHAINS = {
    "#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif": "b",
    "#if 1\na\n#elif 1/0\nb\n#endif": "a",
    "#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif": "c",
    "#ifdef A\na\n#else\nb\n#endif": "b",
    "#ifndef A\na\n#else\nb\n#endif": "a",
    "#if 0\n#error no\n#garbage\n#if (\n#endif\n#endif\nx": "x",
    "#if 0\ndon't \" care\n#endif\nx": "x",
    "#if 0\n/* #endif\n*/\n#endif\nx": "x",
    "# /**/\nx": "x",
    "  #  if 1 // c\nx\n /* c */ # /* d */ endif": "x",
}


@pytest.mark.parametrize("source", CHAINS)
def test_chain(source: str) -> None:
    assert expand(source) == CHAINS[source]


STRUCTURE = {
    "#if 1\n": [("unterminated-conditional", "main.hlsl", 1, 2)],
    "#if 0\n": [("unterminated-conditional", "main.hlsl", 1, 2)],
    "#else": [("else-without-if", "main.hlsl", 1, 2)],
    "#elif 1": [("else-without-if", "main.hlsl", 1, 2)],
    "#endif": [("else-without-if", "main.hlsl", 1, 2)],
    "#if 1\n#else\n#else\n#endif": [("else-after-else", "main.hlsl", 3, 2)],
    "#if 0\n#if 1\n#else\n#elif 1\n#endif\n#endif": [("else-after-else", "main.hlsl", 4, 2)],
    "#ifdef\n#endif": [("macro-name-missing", "main.hlsl", 1, 2)],
    "#ifdef 1\n#endif": [("macro-name", "main.hlsl", 1, 8)],
    "#ifdef A B\n#endif": [("extra-tokens", "main.hlsl", 1, 10)],
    "#if 1\n#endif A": [("extra-tokens", "main.hlsl", 2, 8)],
}


@pytest.mark.parametrize("source", STRUCTURE)
def test_structure(source: str) -> None:
    assert run(source).places == STRUCTURE[source]


def test_has_include() -> None:
    source = '#if __has_include("a.h") && !__has_include(<b.h>) && defined(__has_include)\nyes\n#endif'
    result = run(source, {"a.h": ""})
    assert result.text == "yes"
    assert result.stream.trace.missing == []
    assert run('#if __has_include("b.h")\n#endif').stream.trace.missing == ["/b.h"]
