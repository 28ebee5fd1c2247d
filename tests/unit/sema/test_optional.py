"""Checks of a single function run once for all shaders that share it, and report to each of them."""

from __future__ import annotations

import pytest

from hlsl_tool.base.diagnostics.catalogue import language
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import Memory
from hlsl_tool.frontend.sema.checks import optional
from hlsl_tool.frontend.sema.model.hir import Function
from hlsl_tool.frontend.sema.model.instances import Raw
from tests.interpreted import replaces_functions

HEADER = """
float sum(float a) { float b; return a + b; }
float twice(float a) { for (int i = 0; i < 2; i++) { float a = i; } return 2 * a; }
"""
MAIN = "float4 main(float3 c : C) : SV_Target { %s }\n"


def codes(body: str, memory: Memory, *names: str) -> list[tuple[str, int]]:
    """Return (code, line) of the diagnostics of a shader with enabled warnings."""
    options = CompileOptions(optimize="none", validate="no", warnings=names)
    result = compile_shader(HEADER + MAIN % body, profile="ps_6_0", options=options, memory=memory)
    assert result.ok
    return [(d.code.id, d.location.line) for d in result.diagnostics if d.location is not None]


@replaces_functions
def test_a_shared_function_is_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str] = []

    def spied(check):  # type: ignore[no-untyped-def]
        def spy(f: Function) -> list[Raw]:
            checked.append(f.name)
            found: list[Raw] = check(f)
            return found

        return spy

    monkeypatch.setattr(optional, "_CHECKS", tuple((spied(check), enabling) for check, enabling in optional._CHECKS))
    memory = Memory()
    names = ("uninitialized", "shadow")
    first = codes("return sum(c.x) + twice(c.y);", memory, *names)
    assert sorted(checked) == ["main", "main", "sum", "sum", "twice", "twice"]
    checked.clear()
    second = codes("return sum(c.y);", memory, *names)
    assert checked == ["main", "main"]
    assert first == second == [(language.UNINITIALIZED.id, 2), (language.SHADOW.id, 3)]


def test_warnings_do_not_depend_on_those_of_the_shader_before() -> None:
    memory = Memory()
    body = "return sum(c.x);"
    assert codes(body, memory) == codes(body, Memory())
    assert codes(body, memory, "uninitialized") == codes(body, Memory(), "uninitialized")
    assert codes(body, memory) == codes(body, Memory())
