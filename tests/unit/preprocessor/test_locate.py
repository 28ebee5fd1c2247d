"""Source locations of tokens."""

from __future__ import annotations

from hlsl_tool.base.diagnostics import Location
from hlsl_tool.frontend.preprocessor import PreprocessorMemory, TokenStream

from .helper import run


def place(stream: TokenStream, token: str) -> Location:
    return stream.locate(stream.tokens.index(token))


def pointed(location: Location) -> str:
    return location.source_line[location.col - 1 : location.end_col - 1]


def test_plain_tokens() -> None:
    source = "int a; // c\n/* d\n */ float \\\n  b\\\nb;\r\nlast"
    stream = run(source).stream
    found = {token: (place(stream, token).line, place(stream, token).col) for token in stream.tokens}
    assert found == {"int": (1, 1), "a": (1, 5), ";": (1, 6), "float": (3, 5), "bb": (4, 3), "last": (6, 1)}
    assert pointed(place(stream, "float")) == "float"


def test_macro_tokens() -> None:
    source = "#define INNER(y) y + body\n#define OUTER(x) INNER(x) tail\n\nfloat v = OUTER(argument);"
    stream = run(source).stream
    argument = place(stream, "argument")
    assert (argument.line, argument.col) == (4, 17)
    assert [(m.name, m.line, m.col) for m in argument.macro_stack] == [("OUTER", 2, 24), ("INNER", 1, 18)]
    body = place(stream, "body")
    assert (body.line, body.col, body.end_col) == (4, 11, 16)
    assert [(m.name, m.line, m.col) for m in body.macro_stack] == [("OUTER", 2, 18), ("INNER", 1, 22)]
    tail = place(stream, "tail")
    assert [(m.name, m.line, m.col) for m in tail.macro_stack] == [("OUTER", 2, 27)]
    assert tail.macro_stack[0].source_line == "#define OUTER(x) INNER(x) tail"


def test_pasted_and_stringised() -> None:
    stream = run("#define P(a, b) a##b #a\n  P(x, 1) y").stream
    assert stream.tokens == ["x1", '"x"', "y"]
    assert (stream.locate(0).line, stream.locate(0).col) == (2, 5)
    assert (stream.locate(1).line, stream.locate(1).col) == (2, 3)
    assert (stream.locate(2).line, stream.locate(2).col) == (2, 11)


def test_definition_in_force_counts() -> None:
    source = "#define A one\nA\n#undef A\n#define A two\nA"
    stream = run(source).stream
    assert [stream.locate(i).macro_stack[0].line for i in (0, 1)] == [1, 4]


def test_includes_and_memory() -> None:
    headers = {"a.h": 'before\n#include "b.h"\nafter FN(7)', "b.h": "\n  inner\n#define FN(x) x end\n"}
    memory = PreprocessorMemory()
    run('#include "a.h"\nmain', headers, memory=memory)
    stream = run('\n\n#include "a.h"\nmain FN(9)', headers, memory=memory).stream
    inner = place(stream, "inner")
    assert (inner.file, inner.line, inner.col) == ("./b.h", 2, 3)
    assert inner.include_stack == (("main.hlsl", 3), ("./a.h", 2))
    assert place(stream, "after").include_stack == (("main.hlsl", 3),)
    assert place(stream, "main").include_stack == ()
    end = place(stream, "end")
    assert (end.file, end.line, end.col) == ("./a.h", 3, 7)
    assert [(m.file, m.line) for m in end.macro_stack] == [("./b.h", 3)]
    nine = place(stream, "9")
    assert (nine.file, nine.line, nine.col) == ("main.hlsl", 4, 9)


def test_line_directive() -> None:
    stream = run('a\n#line 100 "gen.h"\nb\nc\n#line 5\nd').stream
    shown = [(place(stream, t).file, place(stream, t).line) for t in "abcd"]
    assert shown == [("main.hlsl", 1), ("gen.h", 100), ("gen.h", 101), ("gen.h", 5)]
    assert place(stream, "c").source_line == "c"


def test_call_over_directives() -> None:
    stream = run("x #y\n#define F(a, b) a b\nF(one\n#if 1\n, two)\n#endif\nthree").stream
    assert [(place(stream, t).line, place(stream, t).col) for t in ("one", "two", "three")] == [(3, 3), (5, 3), (7, 1)]


def test_end_of_file() -> None:
    stream = run("a\nb\n").stream
    assert (stream.locate(2).line, stream.locate(2).col) == (3, 1)
    assert stream.locate(2).index == 2


def test_command_line_macro() -> None:
    stream = run("A", defines=(("A", "x y"),)).stream
    assert stream.locate(1).macro_stack[0].file == "<command line>"


def test_segments() -> None:
    source = "a b\n#define X 1\nX c\n#undef X\nd"
    memory = PreprocessorMemory()
    first, second = run(source, memory=memory).stream, run(source, memory=memory).stream
    assert [(segment.start, segment.tokens) for segment in first.segments] == [
        (0, ["a", "b"]),
        (2, ["1", "c"]),
        (4, ["d"]),
    ]
    assert all(a is b for a, b in zip(first.runs, second.runs, strict=True))
