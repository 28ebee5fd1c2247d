"""Constants that are defined in terms of each other are evaluated only once."""

from __future__ import annotations

import pytest

from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import Memory
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.text import disassemble

_TEMPLATE = """
template<int N> struct F { static const int v = F<N-1>::v + F<N-2>::v; };
template<> struct F<0> { static const int v = 0; };
template<> struct F<1> { static const int v = 1; };
int main() : SV_Target { int a[F<40>::v == F<39>::v + F<38>::v ? 1 : -1]; a[0] = F<40>::v; return a[0]; }
"""
_CHAIN = "".join(f"static const int a{i} = a{i - 1} + a{i - 1} + 1;\n" for i in range(1, 200))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (_TEMPLATE, "102334155"),
        (f"static const int a0 = 1;\n{_CHAIN}int main() : SV_Target {{ return a199; }}", "-1"),
    ],
)
def test_long_chains(source: str, expected: str) -> None:
    result = compile_shader(source, profile="ps_6_0", memory=Memory())
    assert result.ok, [d.message for d in result.diagnostics]
    assert f"OpConstant %int {expected}" in disassemble(decode(result.spirv))
