"""What spirv-val refuses is told with the place in the shader."""

from __future__ import annotations

import shutil

import pytest

from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.options import CompileOptions

pytestmark = pytest.mark.skipif(not shutil.which("spirv-val") or not shutil.which("spirv-opt"), reason="no SPIRV-Tools")


def refused(source: str, profile: str = "ps_6_0") -> tuple[str, int, int]:
    """(message, line, column)"""
    result = compile_shader(source, profile=profile, options=CompileOptions())
    (error,) = [d for d in result.diagnostics if d.severity == "error"]
    assert not result.ok
    assert error.location is not None
    return error.message, error.location.line, error.location.col


def test_built_in_variable() -> None:
    source = "// SV_PrimitiveID\nfloat4 main(float4 v : SV_PRIMITIVEID) : SV_Target {\n  return v;\n}\n"
    message, line, col = refused(source)
    assert "BuiltIn PrimitiveId variable needs to be a 32-bit int" in message
    assert (line, col) == (2, 24)


def test_instruction() -> None:
    source = """
[[vk::ext_instruction(124)]] int as_int(float2 x);
float4 main(float4 c : C) : SV_Target {
    float4 y = c * 2;
    y.x += as_int(c.xy);
    return y;
}
"""
    message, line, _ = refused(source)
    assert "OpBitcast" in message
    assert line == 5


def test_choice_of_resources() -> None:
    source = (
        "Texture2D t, u;\n"
        "float4 main(nointerpolation int i : I) : SV_Target {\n"
        "  Texture2D x = t;\n  if (i > 1) x = u;\n  return x.Load(0);\n}\n"
    )
    message, line, _ = refused(source)
    assert "OpPhi" in message
    assert line == 5
