"""Characters and lines: encodings, continuations, comments, literals, numbers, and the printed output."""

from __future__ import annotations

import pytest

from hlsl_tool.frontend.preprocessor import limits
from hlsl_tool.frontend.preprocessor.lexing import lexer
from hlsl_tool.version import is_compiled

from .helper import expand, run

TOKENS = {
    "a.xyz 1.xxx 1.0.xxx 2.rrr": "a . xyz 1 .xxx 1.0 .xxx 2 .rrr",
    "1.0f .5h 1e-5 1.e+3f 0xFFu 0x1p+3 1.#INF 08 1_a": "1.0f .5h 1e-5 1.e+3f 0xFFu 0x1p+3 1.#INF 08 1_a",
    "a+++b---c": "a ++ + b -- - c",
    "a<<=b>>=c<=d": "a <<= b >>= c <= d",
    "a::b->c...": "a :: b -> c ...",
    "'a' '\\'' \"b\\\"\" L\"w\"": "'a' '\\'' \"b\\\"\" L\"w\"",
    '"// no" /* "x */ y': '"// no" y',
    "a // b\nc /* d\n */ e": "a c e",
    "a/**/b": "a b",
    "id\\\nent": "ident",
    "a \\\r\n b\\ \t\n c": "a b c",
    "// c \\\n still\nx": "x",
    "/\\\n* c *\\\n/ x": "x",
    "@ ` $x": "@ ` $x",
    "größe": "größe",
}


def spaced(text: str) -> str:
    return " ".join(run(text).stream.tokens)


@pytest.mark.parametrize("source", TOKENS)
def test_tokens(source: str) -> None:
    assert spaced(source) == TOKENS[source].replace(" .xxx", " . xxx").replace(" .rrr", " . rrr")


def test_byte_order_marks() -> None:
    assert run(b"\xef\xbb\xbf#define A 1\nA").text == "1"
    for encoding in ("utf-16", "utf-32"):
        assert run("#define A 1\r\nA".encode(encoding)).text == "1"


def test_line_ends() -> None:
    source = "#define A 1 \\\r\n + 2\r\n#if A\r\nA\r\n#endif\r\nx"
    assert expand(source) == "1 + 2 x"
    assert expand("#define A 1\rA\rB") == "1 B"
    assert run(source).stream.locate(3).line == 6


def test_empty_file() -> None:
    result = run("")
    assert result.stream.tokens == []
    assert result.stream.locate(0).line == 1
    assert len(result.stream) == 0


def test_not_utf8() -> None:
    result = run(b"// caf\xe9\nx")
    assert result.names == []
    assert result.text == "x"
    result = run(b"a\n caf\xe9")
    assert result.names == ["non-ascii"]
    result = run(b'a\n "caf\xe9"')
    assert result.names == ["string-encoding"]
    assert run(b"#if 0\n caf\xe9 'd'\n#endif\n").names == []
    found = run(b"a \\\n b\n// caf\xe9", warnings=("-Winvalid-source-encoding",))
    assert [place[2:] for place in found.places] == [(3, 7)]


def test_binary() -> None:
    result = run(b"x\0y")
    assert result.names == ["binary-file"]
    assert result.text == ""
    garbage = bytes(range(256)) * 4
    assert "binary-file" in run(garbage).names


def test_unicode_outside_words() -> None:
    assert run("a \N{EM DASH} b").names == ["non-ascii"]
    result = run("a\N{NO-BREAK SPACE}b")
    assert result.names == ["unicode-whitespace"]
    assert result.text == "a b"


UNTERMINATED = {
    "x /* y": ("unterminated-comment", 3),
    'x "y': ("unterminated-string", 3),
    "x 'y": ("unterminated-character", 3),
}


@pytest.mark.parametrize("source", UNTERMINATED)
def test_unterminated(source: str) -> None:
    name, col = UNTERMINATED[source]
    assert run(source).places == [(name, "main.hlsl", 1, col)]


def test_comment_over_lines_goes_on_with_the_directive() -> None:
    assert expand("#define A 1 /* a\n b */ + 2\nA") == "1 + 2"
    assert expand("x /* a\n */ #define B") == "x # define B"


def test_error_keeps_its_text() -> None:
    result = run("#error don't /* see http://x */\n#warning w // x")
    assert [d.message for d in result.sink.diagnostics] == ["don't /* see http://x */", "w // x"]
    assert [d.severity for d in result.sink.diagnostics] == ["error", "warning"]
    assert result.places[0] == ("user-error", "main.hlsl", 1, 2)


def test_invalid_directives() -> None:
    for source in ("#foo", "#include_next <a.h>", "#ident x", "#!"):
        assert run(source).names == ["invalid-directive"]


def test_line_directive() -> None:
    source = (
        '#line 50\n__LINE__ __FILE__\n#line 7 "x\\\\y.h"\n__LINE__ __FILE__\n'
        '#define L 9 "z"\n#line L\n__LINE__ __FILE__'
    )
    assert run(source).text == '50 "main.hlsl" 7 "x\\\\y.h" 9 "z"'
    located = run(source).stream.locate(2)
    assert (located.file, located.line, located.col) == ("x\\y.h", 7, 1)
    assert run(source, ignore_line_directives=True).text == '2 "main.hlsl" 4 "main.hlsl" 7 "main.hlsl"'
    assert run('# 5 "m.h" 2\n__LINE__ __FILE__').text == '5 "m.h"'


LINE_ERRORS = {
    "#line": "line-number",
    "#line x": "line-number",
    "#line 1x": "line-digits",
    "#line 1 x": "line-file-name",
}


@pytest.mark.parametrize("source", LINE_ERRORS)
def test_bad_line(source: str) -> None:
    assert run(source).names == [LINE_ERRORS[source]]


def test_offsets_survive_cleaning() -> None:
    text = "a /* b\nc */ d // e\n'/*' \"//\" f"
    cleaned, unterminated = lexer.clean(text)
    assert len(cleaned) == len(text)
    assert unterminated == -1
    assert [text[a:b] for a, b in lexer.spans(cleaned)] == ["a", "d", "'/*'", '"//"', "f"]


def test_printed_output() -> None:
    source = '#define N(x) -x\n#include "a.h"\nfloat f() {\n    return N(-1) +N(2);\n}\n' + "\n" * 12 + "end\n"
    result = run(source, {"a.h": "#pragma pack_matrix(row_major)\nfloat a;\n"})
    assert result.stream.text() == (
        '#line 1 "main.hlsl"\n\n#line 1 "./a.h"\n#pragma pack_matrix(row_major)\nfloat a;\n'
        '#line 3 "main.hlsl"\nfloat f() {\n    return - -1 +-2;\n}\n#line 18 "main.hlsl"\nend\n'
    )


def test_an_expansion_puts_no_number_sign_into_the_first_column() -> None:
    printed = run("#define H #\nH define A\nH if 1\nx\n").stream.text()
    assert printed == '#line 1 "main.hlsl"\n\n # define A\n # if 1\nx\n'


def test_a_blank_stands_for_an_empty_expansion_at_the_start_of_a_line() -> None:
    assert run("#define E\n#define F E x\n#define G x\nF\nG\n").stream.text().endswith("\n x\nx\n")


def test_printed_output_reads_the_same() -> None:
    source = "#define P(a, b) a b\n#define E\nP(+,+) P(x,1) P(.,5) P(a,E b) P(-,>)P(/,/) P(1,e5) x.y 1.0.x # if\n"
    first = run(source)
    again = run(first.stream.text(), name="again.hlsl")
    assert again.stream.tokens == first.stream.tokens


@pytest.mark.skipif(is_compiled(), reason="the limit is a constant in native code")
def test_too_many_tokens_name_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """One token more than the limit after preprocessing is an error (HLSL0189) at the start of the main file."""
    monkeypatch.setattr(limits, "MAX_TOKENS", 100)
    assert run("a " * 100).names == []
    assert run("a " * 101).places == [("token-count", "main.hlsl", 1, 1)]
