"""Heads of loops: which identifiers the statements after a loop contain."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hlsl_tool import CompileOptions, compile_shader, wgsl
from hlsl_tool.wgsl.writer import loops
from hlsl_tool.wgsl.writer.loops import Mentions
from hlsl_tool.wgsl.writer.statements import IfStatement, Let, Line, Scope, Statement


def test_identifiers_behind_a_place() -> None:
    inner = IfStatement(
        "a < b", Scope(statements=[Line("use(c);")]), Scope(statements=[Let(name="d", text="e", head="let ")])
    )
    mentions = Mentions([Let(name="a", text="1", head="var "), Line("x = ab;"), inner, Line("y = x;")])
    assert mentions.is_behind(2, "x")
    assert not mentions.is_behind(2, "a")
    assert all(mentions.is_behind(1, name) for name in "abcde")
    assert mentions.is_behind(0, "ab")
    assert not mentions.is_behind(3, "y")
    assert not mentions.is_behind(0, "us")


def test_statements_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many loops one after another take a time that grows with their number, not with its square."""
    read: list[Statement] = []
    texts = loops._texts

    def counted(statement: Statement) -> Iterator[str]:
        read.append(statement)
        return texts(statement)

    monkeypatch.setattr(loops, "_texts", counted)
    body = "".join(f"for (int i{n} = 0; i{n} < k; i{n}++) o[i{n}] += {n};\n" for n in range(40))
    source = f"RWStructuredBuffer<float> o; int k; [numthreads(1, 1, 1)] void main() {{ {body} }}"
    options = CompileOptions(optimize="none", target_env="vulkan1.1")
    text = wgsl.convert(compile_shader(source, profile="cs_6_0", options=options).spirv)
    assert text.count("for (var") == 40
    assert len(read) == len({id(statement) for statement in read})
