"""Nesting without brackets has its own limits, well below the depth at which a stack overflows.

The compiled package (docs/how-to/compiled.md) does not check Python's recursion limit, so no limit may depend on it.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hlsl_tool.base.system.deep_stack import with_deep_stack
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult
from hlsl_tool.frontend.sema.model.types import MAX_LEVELS
from hlsl_tool.frontend.sema.rules.expressions.operators import MAX_CHAIN

MAIN = "float4 main(float4 c : C) : SV_Target {{ {} }}\n"


def _structs(n: int) -> str:
    lines = [f"struct S{k} {{ S{k - 1} x; }};" for k in range(1, n)]
    return "\n".join(["struct S0 { float4 x; };", *lines, f"cbuffer B {{ S{n - 1} s; }}", MAIN.format("return c;")])


def _bases(n: int) -> str:
    lines = [f"struct S{k} : S{k - 1} {{}};" for k in range(1, n)]
    return "\n".join(["struct S0 { float4 x; };", *lines, f"cbuffer B {{ S{n - 1} s; }}", MAIN.format("return s.x;")])


def _arrays(n: int) -> str:
    lines = [f"typedef T{k - 1} T{k}[1];" for k in range(2, n + 1)]
    return "\n".join(["typedef float4 T1[1];", *lines, f"cbuffer B {{ T{n} s; }}", MAIN.format("return c;")])


def _arguments(n: int) -> str:
    lines = [f"typedef V<T{k - 1}> T{k};" for k in range(2, n + 1)]
    head = ["template<typename T> struct V { float x; };", "typedef V<float> T1;"]
    return "\n".join([*head, *lines, MAIN.format(f"T{n} t; return c;")])


def _sum(n: int) -> str:
    return MAIN.format(f"return {' + '.join(['c'] * (n + 1))};")


def _commas(n: int) -> str:
    return MAIN.format(f"return ({', '.join(['c'] * (n + 1))});")


def _compile(text: str) -> CompileResult:
    return with_deep_stack(lambda: compile_shader(text, profile="ps_6_0"))


def _codes(result: CompileResult) -> list[str]:
    return [d.code.id for d in result.diagnostics if d.severity == "error"]


LIMITS: dict[str, tuple[Callable[[int], str], int, str]] = {
    "structs": (_structs, MAX_LEVELS, "HLSL0537"),
    "bases": (_bases, MAX_LEVELS, "HLSL0537"),
    "arrays": (_arrays, MAX_LEVELS, "HLSL0537"),
    "template arguments": (_arguments, MAX_LEVELS, "HLSL0537"),
    "operators": (_sum, MAX_CHAIN, "HLSL0751"),
    "commas": (_commas, MAX_CHAIN, "HLSL0751"),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limit(name: str) -> None:
    make, limit, code = LIMITS[name]
    assert _codes(_compile(make(limit))) == []
    assert _codes(_compile(make(limit + 1)))[0] == code
    assert _codes(_compile(make(3 * limit)))[0] == code
