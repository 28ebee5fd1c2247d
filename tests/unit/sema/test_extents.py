"""The operands that a diagnostic about an operator underlines."""

from __future__ import annotations

import pytest

from hlsl_tool import compile_shader
from hlsl_tool.base.diagnostics.render import render

SHADER = """struct S {{ float x; }};
#define TWICE(x) (x + x)
float4x4 m; float4x3 bones;
float4 f() {{ return 0; }}
float4 main(float4 c : C) : SV_Target {{
\tS s; s.x = 1; {}
\treturn c;
}}
"""


@pytest.mark.parametrize(
    ("statement", "marks"),
    [
        ("c = c.xyz.xyzz * f() + s;", "    ~~~~~~~~~~~~~~~~ ^ ~"),
        ("c = (c + c) & (s.x + f().x);", "     ~~~~~  ^  ~~~~~~~~~~~"),
        ("c = c * c + bones * c.wzyx;", "                    ~~^~~~"),
        ("c = s + m[1];", "    ~ ^ ~~~~"),
        ("c = TWICE(s);", "    ^~~~~"),
    ],
)
def test_operands_are_underlined(statement: str, marks: str) -> None:
    result = compile_shader(SHADER.format(statement), entry="main", profile="ps_6_0", name="a.hlsl")
    errors = [d for d in result.diagnostics if d.severity == "error"]
    assert len(errors) == 1
    assert render(errors).splitlines()[2] == "\t" + " " * len("S s; s.x = 1; ") + marks


def test_operands_on_another_line_are_not_underlined() -> None:
    result = compile_shader(SHADER.format("c = s +\nc;"), entry="main", profile="ps_6_0", name="a.hlsl")
    assert render(result.diagnostics).splitlines()[2] == "\t" + " " * len("S s; s.x = 1; c = ") + "~ ^"
