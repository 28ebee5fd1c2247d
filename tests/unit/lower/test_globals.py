"""Global variables: types that SPIR-V lacks, and the time of initialisation."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.spirv.text import disassemble

INTEGER_COLUMNS = "externally initialized non-floating-point column-major matrices not supported yet"


@pytest.mark.parametrize("declaration", ["RWStructuredBuffer<int2x2> b;", "cbuffer C { uint2x3 m; };", "bool3x2 m[2];"])
def test_integer_matrices_by_columns(declaration: str) -> None:
    """Column-major matrices of integers compile, except with -fcgl, which rejects them as DXC does."""
    use = "b[0]._m00" if "b;" in declaration else "m[0][0]" + ("[0]" if "[2]" in declaration else "")
    source = f"{declaration} float4 main() : SV_Target {{ return {use}; }}"
    result = compile_shader(source, profile="ps_6_0", options=CompileOptions(optimize="none"))
    assert result.ok, [d.message for d in result.diagnostics]
    result = compile_shader(source, profile="ps_6_0", options=CompileOptions(codegen_only=True))
    assert INTEGER_COLUMNS in [d.message for d in result.diagnostics]


def test_integer_matrices_by_columns_in_push_constants_and_constant_buffers() -> None:
    """With -fcgl, those in push constants are rejected and those in a ConstantBuffer are accepted, as by DXC."""
    options = CompileOptions(codegen_only=True, validate="no")
    for declaration, is_accepted in (("[[vk::push_constant]] S", False), ("ConstantBuffer<S>", True)):
        source = f"struct S {{ int2x3 m; }}; {declaration} s; float4 main() : SV_Target {{ return s.m[1][2]; }}"
        result = compile_shader(source, profile="ps_6_0", options=options)
        assert (INTEGER_COLUMNS not in [d.message for d in result.diagnostics]) == is_accepted


def test_integer_matrices_by_rows_are_taken() -> None:
    source = "cbuffer C { row_major int2x3 m; }; float4 main() : SV_Target { return m[1][2]; }"
    result = compile_shader(source, profile="ps_6_0", options=CompileOptions(validate="no", optimize="none"))
    assert result.ok, [d.message for d in result.diagnostics]


def test_static_members_of_specialised_templates_have_their_values() -> None:
    source = """
    template<int N> struct F { static const int v = N * F<N - 1>::v; };
    template<> struct F<0> { static const int v = 1; };
    template<int N> int f() { return N * f<N - 1>(); }
    template<> int f<0>() { return 1; }
    float main() : SV_Target { return F<5>::v + 2 * f<4>(); }
    """
    result = compile_shader(source, profile="ps_6_0", options=CompileOptions(validate="no"))
    assert result.module is not None, [d.message for d in result.diagnostics]
    assert "OpConstant %float 168" in disassemble(result.module)


@pytest.mark.parametrize(
    ("declaration", "column"),
    [
        ("float4 v = float4(1, 2, 3, 4);", 12),
        ("float2 v = (float2)1;", 12),
        ("float2 v = 1 + 2;", 12),
        ("float4 v = float4(1, 2, 3, 4).xyzw;", 12),
        ("int v = 1 ? 2 : 3;", 9),
        ("int v = 1 + 2;", 9),
        ("int v = (1 + 2);", 9),
        ("int2 v = int2(1, 2) + 1;", 21),
    ],
)
def test_ignored_initialisers_are_located_as_by_dxc(declaration: str, column: int) -> None:
    """The location is an operator, or the first token of any other expression, of a conversion or in parentheses."""
    use = "v" if declaration.startswith("int v") else "v.x"
    source = f"{declaration}\nfloat4 main() : SV_Target {{ return {use}; }}"
    result = compile_shader(source, profile="ps_6_0", options=CompileOptions(validate="no"))
    found = [d.location.col for d in result.diagnostics if d.location is not None and d.code.id == "HLSL0617"]
    assert found == [column]
