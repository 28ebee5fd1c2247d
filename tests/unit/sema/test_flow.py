"""The control-flow graph of a body, and definite assignment over it."""

from __future__ import annotations

import pytest

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.source import MemoryFileSystem, SourceFile
from hlsl_tool.frontend.preprocessor import PreprocessOptions, PreprocessorMemory, preprocess
from hlsl_tool.frontend.sema.analysis import SemaMemory, analyze
from hlsl_tool.frontend.sema.model.hir import Function
from hlsl_tool.frontend.sema.rules.flow.assignment import Assignment
from hlsl_tool.frontend.sema.rules.flow.builder import build
from hlsl_tool.frontend.sema.scope.context import Language
from hlsl_tool.frontend.syntax.memory import SyntaxMemory
from hlsl_tool.frontend.syntax.parser import parse


def function(text: str) -> Function:
    """Return the function `f` of a source text, with its body analysed."""
    sink = Sink()
    source = SourceFile("a.hlsl", "/a.hlsl", text)
    stream = preprocess(source, PreprocessOptions(), fs=MemoryFileSystem({}), memory=PreprocessorMemory(), sink=sink)
    unit = parse(stream, memory=SyntaxMemory(), sink=sink)
    program = analyze(unit, Language(stage="cs"), entries=["f"], memory=SemaMemory(), sink=sink)
    (f,) = program.functions
    return f


def _local(f: Function, name: str) -> list[str]:
    """Return (kind, certainty) of the uses of a local variable that may be uninitialised."""
    assert f.body is not None
    graph = build(f.body, lambda v: v.name == name)
    return [use.certainty for use in Assignment(graph, []).uses()]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int x; return x;", ["always"]),
        ("int x = 1; return x;", []),
        ("int x; x = 1; return x;", []),
        ("int x; if (c) x = 1; return x;", ["sometimes"]),
        ("int x; if (c) x = 1; else x = 2; return x;", []),
        ("int x; if (c) return 0; x = 1; return x;", []),
        ("int x; while (c) x = 1; return x;", ["maybe"]),
        ("int x; do x = 1; while (c); return x;", []),
        ("int x; for (;;) { x = 1; if (c) break; } return x;", []),
        ("int x; switch (c) { case 0: x = 1; break; default: x = 2; } return x;", []),
        ("int x; switch (c) { case 0: x = 1; break; } return x;", ["maybe"]),
        ("int x; int y = c ? (x = 1) : 2; return x;", ["sometimes"]),
        ("int x; x += 1; return x;", ["always"]),
        ("int2 x; x.y = 1; return x;", []),
        ("int x; if (false) return x; return 0;", []),
        ("return 0; int x; return x;", []),
    ],
)
def test_definite_assignment(body: str, expected: list[str]) -> None:
    assert _local(function(f"int f(int c) {{ {body} }}"), "x") == expected


def test_the_branch_to_blame_is_named() -> None:
    f = function("int f(int c) { int x; if (c && c > 2) x = 1; return x; }")
    assert f.body is not None
    (use,) = Assignment(build(f.body, lambda v: v.name == "x"), []).uses()
    assert [(branch.name, taken) for branch, taken in use.branches] == [("&&", False), ("if", False)]


def test_exits_are_the_returns_and_the_end() -> None:
    f = function("void f(int c) { if (c) return; c = 1; }")
    assert f.body is not None
    graph = build(f.body, lambda v: False)
    assert [block in graph.end.predecessors for block, _ in graph.exits] == [True, True]
    assert graph.entry is graph.blocks[0]


def test_a_long_chain_of_operators_does_not_recurse() -> None:
    f = function(f"int f(int c) {{ int x; return {' + '.join(['x'] * 3000)}; }}")
    assert len(_local(f, "x")) == 3000
