"""For any input, the parser returns a syntax tree and diagnostics, and never raises an exception."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hlsl_tool.base.diagnostics import Location, Sink
from hlsl_tool.frontend.syntax import SyntaxMemory, TranslationUnit, parse

WORDS = [
    "(", ")", "[", "]", "{", "}", ";", ",", ".", ":", "::", "<", ">", "<<", ">>", "<=", "=", "+", "-", "*", "&",
    "!", "~", "++", "->", "?", "+=", "@", "#", "1", "2.0f", "0x1u", '"s"', "'c'", "a", "b", "T", "S", "N", "f",
    "vk", "float", "float4", "vector", "Texture2D", "void", "int", "unsigned", "const", "static", "in", "out",
    "struct", "class", "enum", "interface", "namespace", "using", "typedef", "template", "typename", "operator",
    "cbuffer", "register", "packoffset", "if", "else", "for", "while", "do", "switch", "case", "default", "break",
    "return", "discard", "this", "true", "sizeof", "static_assert", "sample", "point", "precise", "sampler_state",
    "technique", "pass", "goto", "t0", "space1", "binding", "SV_Target",
]  # fmt: skip

SNIPPETS = [
    "struct S { float a ; } ;", "template < typename T > T f ( T a ) { return a ; }", "typedef float T ;",
    "namespace N { struct T { } ; }", "using namespace N ;", "void f ( ) {", "}", "float a = b < c > ( 1 ) ;",
    "for ( int i = 0 ; i < 3 ; ++ i )", "if ( a ) b ; else", "[ [ vk :: binding ( 1 ) ] ]", "S < T < int >> a ;",
    "switch ( a ) { case 1 : break ; }", "cbuffer C { float a ; }", "enum E { A , B } ;",
    "SamplerState s { a = 1 ; } ;",
]  # fmt: skip

tokens = st.lists(
    st.one_of(st.sampled_from(WORDS).map(lambda word: [word]), st.sampled_from(SNIPPETS).map(str.split)), max_size=40
).map(lambda parts: [token for part in parts for token in part])


class Stream:
    def __init__(self, runs: list[list[str]]) -> None:
        self.runs = runs
        self.tokens = [token for run in runs for token in run]

    def locate(self, index: int) -> Location:
        assert 0 <= index <= sum(map(len, self.runs))
        return Location("soup.hlsl", 1, index + 1, index + 2)


def run(runs: list[list[str]], memory: SyntaxMemory) -> tuple[TranslationUnit, Sink]:
    sink = Sink()
    return parse(Stream(runs), memory=memory, sink=sink), sink


def positions(node: Any) -> list[int]:
    found, todo = [], [node]
    while todo:
        item = todo.pop()
        if isinstance(item, list):
            todo.extend(item)
        elif dataclasses.is_dataclass(item):
            todo.extend(getattr(item, field.name) for field in dataclasses.fields(item))
            if hasattr(item, "pos"):
                found.append(item.pos)
    return found


@settings(max_examples=300)
@given(tokens)
def test_token_soup_gives_diagnostics_only(soup: list[str]) -> None:
    unit, sink = run([soup], SyntaxMemory())
    assert [token for chunk in unit.chunks for token in chunk.tokens] == soup
    assert bool(sink.diagnostics) == any(chunk.problems for chunk in unit.chunks)
    for chunk in unit.chunks:
        assert all(0 <= position < len(chunk.tokens) for position in positions(chunk.decls))


@settings(max_examples=150)
@given(tokens, st.lists(st.integers(0, 60), max_size=4), st.data())
def test_runs_and_memory_do_not_change_the_result(soup: list[str], cuts: list[int], data: st.DataObject) -> None:
    plain, plain_sink = run([soup], SyntaxMemory())
    memory = SyntaxMemory()
    run([data.draw(tokens)], memory)
    borders = [0, *sorted(min(cut, len(soup)) for cut in cuts), len(soup)]
    runs = [soup[start:end] for start, end in itertools.pairwise(borders)]
    for _ in range(2):
        unit, sink = run(runs, memory)
        assert [chunk.tokens for chunk in unit.chunks] == [chunk.tokens for chunk in plain.chunks]
        assert [chunk.decls for chunk in unit.chunks] == [chunk.decls for chunk in plain.chunks]
        assert unit.bases == plain.bases
        assert sink.diagnostics == plain_sink.diagnostics


@settings(max_examples=200)
@given(st.lists(st.text(alphabet="ab01.xXuUfFhHlLeEpP+-\"'\\", min_size=1, max_size=8), min_size=1, max_size=8))
def test_odd_spellings(words: list[str]) -> None:
    run([["float", "x", "=", *words, ";"]], SyntaxMemory())
