"""A timeout of spirv-opt is an error that names the shader."""

from __future__ import annotations

import pytest

from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.spirv.tools import optimizer

ENDLESS = """\
RWStructuredBuffer<uint> data;
void add(uint n) { [unroll] for (uint i = 0; i < 4000; ++i) data[i & 7] += n; }
[numthreads(1, 1, 1)]
void main()
{
    [unroll] for (uint i = 0; i < 4000; ++i) add(i);
}
"""


def test_an_endless_unrolling_is_reported_at_its_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    default = optimizer._run.__kwdefaults__ or {}
    assert "timeout" not in default
    monkeypatch.setitem(optimizer.optimize.__kwdefaults__, "timeout", 0.4)
    found = compile_shader(ENDLESS, profile="cs_6_0", name="endless.hlsl")
    assert not found.ok
    [problem] = found.diagnostics
    assert problem.code.id == "HLSL0731"
    assert problem.location is not None
    assert (problem.location.file, problem.location.line) == ("endless.hlsl", 4)
    assert problem.hint is not None
    assert "unroll" in problem.hint
