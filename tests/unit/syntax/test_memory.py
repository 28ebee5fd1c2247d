"""Cached syntax trees affect the time of parsing, but not its result."""

from __future__ import annotations

import pytest

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.frontend.syntax import SyntaxMemory, parse

from .helper import Stream, parse_text, show

TEXT = """struct T { int a; };
cbuffer C { float4 x; T y; };
namespace N { struct U { int a; }; }
void f() { (T) - x; (U) - x; }
float T;
void g() { (T) - x; a = ; }
using namespace N;
void f() { (T) - x; (U) - x; }
template<int I> int get() { return I; }
SamplerState s { Filter = X; };
void h() { b = get<3>(); }"""


def outcome(text: str, memory: SyntaxMemory, pieces: int = 1) -> tuple[list[str], list[int], list[str]]:
    unit, sink = parse_text(text, memory=memory, pieces=pieces)
    messages = [str(diagnostic.location) + diagnostic.message for diagnostic in sink.diagnostics]
    return [show(chunk.decls) for chunk in unit.chunks], unit.bases, messages


@pytest.mark.parametrize("pieces", range(1, 40))
def test_pieces_do_not_matter(pieces: int) -> None:
    assert outcome(TEXT, SyntaxMemory(), pieces) == outcome(TEXT, SyntaxMemory())


def test_a_memory_does_not_change_the_result() -> None:
    memory = SyntaxMemory()
    first = outcome(TEXT, memory)
    assert outcome(TEXT, memory) == first == outcome(TEXT, SyntaxMemory())
    other = "float before;\n" + TEXT
    assert outcome(other, memory) == outcome(other, SyntaxMemory())


def test_equal_declarations_are_one_chunk() -> None:
    memory = SyntaxMemory()
    first, _ = parse_text("struct S { int a; }; void f() { a; }", memory=memory)
    second, _ = parse_text("float b; struct S { int a; }; struct X { int b; }; void f() { a; }", memory=memory)
    assert first.chunks[0] is second.chunks[1]
    assert first.chunks[1] is second.chunks[3]
    assert second.bases == [0, 3, 11, 19]


def test_a_chunk_whose_names_mean_something_else_is_another() -> None:
    memory = SyntaxMemory()
    first, _ = parse_text("struct T { int a; }; void f() { (T) - x; }", memory=memory)
    second, _ = parse_text("float T; void f() { (T) - x; }", memory=memory)
    assert first.chunks[1].tokens == second.chunks[1].tokens
    assert first.chunks[1] is not second.chunks[1]
    assert "(T - x)" in show(second.chunks[1].decls)


def test_the_same_run_is_not_looked_at_again() -> None:
    stream = Stream(TEXT)
    memory = SyntaxMemory()
    first = parse(stream, memory=memory, sink=Sink())
    again = parse(stream, memory=memory, sink=Sink())
    assert all(left is right for left, right in zip(first.chunks, again.chunks, strict=True))
    assert first.bases == again.bases


def test_remembered_errors_are_reported_at_their_new_place() -> None:
    memory = SyntaxMemory()
    lines = []
    for text in ("float a = ;", "\n\nfloat b;\nfloat a = ;"):
        _, sink = parse_text(text, memory=memory)
        lines.append([d.location.line for d in sink.diagnostics if d.location])
    assert lines == [[1], [4]]


def test_forgetting_steps_keeps_the_chunks() -> None:
    memory = SyntaxMemory()
    first, _ = parse_text("float a;", memory=memory)
    memory.forget_steps()
    second, _ = parse_text("float a;", memory=memory)
    assert first.chunks[0] is second.chunks[0] and memory.count() == 1
