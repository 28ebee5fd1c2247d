"""Errors of spirv-val are reported at their position in the shader."""

from __future__ import annotations

import shutil

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader

pytestmark = pytest.mark.skipif(not shutil.which("spirv-val") or not shutil.which("spirv-opt"), reason="no SPIRV-Tools")


def refused(source: str, profile: str = "ps_6_0") -> tuple[str, int, int]:
    """Return (message, line, column) of the error for a shader."""
    result = compile_shader(source, profile=profile, options=CompileOptions())
    (error,) = [d for d in result.diagnostics if d.severity == "error"]
    assert not result.ok
    assert error.location is not None
    return error.message, error.location.line, error.location.col


def test_built_in_variable() -> None:
    source = "// SV_PrimitiveID\nfloat4 main(float4 v : SV_PRIMITIVEID) : SV_Target {\n  return v;\n}\n"
    message, line, col = refused(source)
    assert message == "SV_PRIMITIVEID must be of type 'uint'"
    assert (line, col) == (2, 20)


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


@pytest.mark.parametrize(
    ("body", "message", "hint"),
    [
        ("Texture2D x = t;\n  if (i > 1) x = u;\n  return x.Load(0);", "between 't' and 'u'", "one array"),
        ("Texture2D x = i > 1 ? t : u;\n\n  return x.Load(0);", "between 't' and 'u'", "one array"),
        ("StructuredBuffer<float4> x = b;\n  if (i > 1) x = c;\n  return x[0];", "between 'b' and 'c'", "one array"),
        ("int2 at = i;\n\n  return t.Sample(s, 0, at);", "offset must be a constant", "unroll"),
        (
            "Texture2D x[2] = { t, u };\n\n  for (int j = 0; j < i; j++) x[j & 1] = x[0]; return x[i].Load(0);",
            "resource in a local variable",
            "declared",
        ),
    ],
)
def test_code_that_cannot_be_legalised_is_an_error(body: str, message: str, hint: str) -> None:
    source = (
        "Texture2D t, u, a[3]; SamplerState s; StructuredBuffer<float4> b, c;\n"
        f"float4 main(nointerpolation int i : I) : SV_Target {{\n  {body}\n}}\n"
    )
    result = compile_shader(source, profile="ps_6_0", options=CompileOptions())
    (error,) = [d for d in result.diagnostics if d.severity == "error"]
    assert message in error.message
    assert hint in (error.hint or "")
    assert error.location is not None
    assert error.location.line in (4, 5)
    assert all(note.message.startswith("spirv-val says: ") for note in error.notes)


def test_resources_in_a_structure_in_a_block() -> None:
    struct = "struct T { SamplerState s; }; struct M { Texture2D t; float4 tint; }; "
    main = "\nfloat4 main() : SV_Target { return m[1].t.Load(0) * m[0].tint; }\n"
    apart = compile_shader(f"{struct}\ncbuffer B {{ M m[2]; }}{main}", profile="ps_6_0", options=CompileOptions())
    assert [(r.name, r.binding) for r in apart.reflect().resources] == [("m[1].t", 1), ("B", 2)]
    source = (
        struct
        + "struct N { float k; T own; }; ConstantBuffer<N> c; Texture2D t;\n"
        + ("float4 main() : SV_Target { return t.Sample(c.own.s, c.k); }")
    )
    assert refused(source)[0].startswith("'c.own.s' is a resource")
    assert compile_shader(
        "cbuffer B { Texture2D t; float k; } float4 main() : SV_Target { return t.Load(0) * k; }", profile="ps_6_0"
    ).ok


def test_arrays_of_arrays_of_resources() -> None:
    source = "\nTexture2D t[2][3];\nfloat4 main() : SV_Target { return t[1][2].Load(0); }\n"
    for flatten in (False, True):
        assert compile_shader(source, profile="ps_6_0", options=CompileOptions(flatten_resource_arrays=flatten)).ok


def test_an_array_that_cannot_be_flattened_is_an_error() -> None:
    source = "struct M { Texture2D t; };\nM m[3];\nfloat4 main(int i : I) : SV_Target { return m[i].t.Load(0); }\n"
    message, line, _ = refused(source)
    assert message == "'m' cannot be taken apart into single resources: its index is not known at compile time"
    assert line == 2
    assert compile_shader(source, profile="ps_6_0", options=CompileOptions(flatten_resource_arrays=True)).ok


def test_no_check_is_no_check() -> None:
    """With -Vd, an invalid module is written."""
    source = "Texture2D t, u; float4 main(int i : I) : SV_Target { Texture2D x = i ? t : u; return x.Load(0); }"
    assert compile_shader(source, profile="ps_6_0", options=CompileOptions(validate="no")).ok


def test_members_that_the_dx_layout_overlaps_are_an_error() -> None:
    source = (
        "struct S { row_major double2x3 a; double b; };\nTextureBuffer<S> t;\n"
        "float4 main() : SV_Target { return t.a[0][1] + t.b; }\n"
    )
    result = compile_shader(source, profile="ps_6_0", options=CompileOptions(layout="dx"))
    (error,) = [d for d in result.diagnostics if d.severity == "error"]
    assert "overlaps previous member" in error.message
    assert "change the order of the members" in (error.hint or "")
