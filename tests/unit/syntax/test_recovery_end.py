"""Syntax errors at the very end of a file."""

from __future__ import annotations

import pytest

from hlsl_tool import compile_shader

SOURCES = ["f(", "float4 main() : A { return f(1,", "float4 main() : A { return g({", "int x = ("]


@pytest.mark.parametrize("source", SOURCES)
def test_a_file_that_ends_early(source: str) -> None:
    result = compile_shader(source, profile="vs_6_0")
    assert not result.ok
    assert result.diagnostics
