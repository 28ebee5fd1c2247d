"""Overload resolution: conversions by rank, and calls that match no function or several.

`pick` returns the index of the overload that the compiler chose, according to the code for ``main``.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult
from hlsl_tool.frontend.sema.model.hir import Function
from hlsl_tool.frontend.sema.rules.expressions import overloads
from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Module
from tests.interpreted import replaces_functions

VARIABLES = """
    float f = input.x; int i = input.x; uint u = input.x; bool b = input.x; double d = input.x;
    min16float mf = (min16float)f; min16int mi = (min16int)i; min16uint mu = (min16uint)u; half h = f; E e = A;
    min12int mi12 = (min12int)i; int64_t l = i;
    float2 f2 = f; float3 f3 = f; float4 f4 = f; int2 i2 = i; uint3 u3 = u; float2x2 m2 = f; float3x3 m3 = f;
"""


def compiled(parameters: Sequence[str], arguments: str) -> CompileResult:
    functions = [f"int g({types}) {{ return {1000 + number}; }}" for number, types in enumerate(parameters)]
    text = "\n".join(
        [
            "enum E { A, B };",
            *functions,
            f"int main(float4 input : A) : SV_Target {{ {VARIABLES} return g({arguments}); }}",
        ]
    )
    options = CompileOptions(validate="no", codegen_only=True)
    return compile_shader(text, profile="ps_6_2", options=options)


def constants(module: Module) -> list[int]:
    """Return the constants that generated functions return: only called overloads are generated."""
    values = [inst.id(0) for inst in module.globals if inst.op == op.OpConstant]
    return [value - 1000 for value in values if 1000 <= value < 1100]


def pick(parameters: Sequence[str], arguments: str) -> int:
    result = compiled(parameters, arguments)
    assert result.module is not None, [d.message for d in result.diagnostics]
    (chosen,) = constants(result.module)
    return chosen


RANKED: list[tuple[Sequence[str], str, int]] = [
    # the same type wins over every conversion
    (("int x", "uint x", "float x", "bool x", "double x"), "i", 0),
    (("int x", "uint x", "float x", "bool x", "double x"), "u", 1),
    (("int x", "uint x", "float x", "bool x", "double x"), "f", 2),
    (("int x", "uint x", "float x", "bool x", "double x"), "b", 3),
    (("int x", "uint x", "float x", "bool x", "double x"), "d", 4),
    # a promotion wins over a conversion
    (("double x", "int x"), "f", 0),
    # the shape stays if it can
    (("float2 x", "float3 x", "float4 x"), "f3", 1),
    (("float x", "float2 x"), "f2", 1),
    (("float2x2 x", "float3x3 x"), "m3", 1),
    (("float4 x", "float3x3 x"), "f4", 0),
    # a change of component type wins over a truncation
    (("int3 x", "float2 x"), "f3", 0),
    (("float3 x", "int4 x"), "i2.xyxy", 1),
    # each argument counts
    (("float x, int y", "float x, float y"), "f, i", 0),
    (("float x, int y", "float x, float y"), "f, f", 1),
    (("float x", "float x, float y", "float x, float y, float z"), "f, f", 1),
    # defaults fill up
    (("float x, float y, float z = 1", "float x"), "f, f", 0),
    # splats
    (("float4 x", "float4x4 x, int y"), "f", 0),
    # types of minimum precision are no 32-bit types
    (("int x", "min16int x"), "i", 0),
    (("int x", "min16int x"), "mi", 1),
    (("uint x", "min16int x"), "i", 0),
    (("min16uint x", "uint64_t x"), "u", 1),
    (("min16uint x", "int x"), "i", 1),
    (("min16float x", "float x"), "h", 1),
    (("min16float x", "double x"), "f", 1),
    (("min16int x", "int64_t x"), "i", 1),
    (("min16uint x", "int x"), "mi", 1),
    # what operators make of them
    (("half x", "float x", "int x"), "h * i", 1),
    (("half x", "float x", "min16float x"), "h * mf", 1),
    (("half x", "float x"), "h * 2", 0),
    (("min16int x", "int x"), "mi * e", 0),
    (("min16uint x", "int x"), "e * mu", 0),
    (("min16int x", "min16uint x"), "mi * mu", 1),
]


@pytest.mark.parametrize(("parameters", "arguments", "wanted"), RANKED)
def test_the_best_overload_is_called(parameters: Sequence[str], arguments: str, wanted: int) -> None:
    assert pick(parameters, arguments) == wanted


@pytest.mark.parametrize(
    ("parameters", "arguments"),
    [
        (("float4 x", "float2x2 x"), "m2"),
        (("int x, float y", "float x, int y"), "i, i"),
        (("float2 x", "float3 x"), "f4"),
        (("int x", "uint x"), "1"),
        (("float x", "int x"), "e"),
        (("min16int x", "int x"), "mi12"),
    ],
)
def test_ambiguous_calls(parameters: Sequence[str], arguments: str) -> None:
    result = compiled(parameters, arguments)
    errors = [d for d in result.diagnostics if d.severity == "error"]
    assert [d.message for d in errors] == ["call to 'g' is ambiguous"]
    assert len(errors[0].notes) == len(parameters)


@pytest.mark.parametrize(
    ("parameters", "arguments"),
    [(("float4 x",), "f2"), (("float x",), ""), (("float x",), "f, f"), (("float2x2 x",), "f3"), (("float3 x",), "i2")],
)
def test_calls_without_a_match(parameters: Sequence[str], arguments: str) -> None:
    result = compiled(parameters, arguments)
    assert [d.message for d in result.diagnostics if d.severity == "error"] == ["no matching function for call to 'g'"]


def test_a_declaration_behind_the_definition_is_no_overload() -> None:
    source = """
    float f(float x) { return x; }
    float f(float x);
    float f(float x);
    float main(float a : A) : SV_Target { return f(a); }
    """
    result = compile_shader(source, profile="ps_6_0", options=CompileOptions(optimize="none", validate="no"))
    assert result.ok, [d.message for d in result.diagnostics]


INTRINSIC_CALLS: list[tuple[str, str, bool]] = [
    # the function, the call, and whether the call means the intrinsic
    ("float3 pow(float3 a, float b)", "pow(c.xyz, 2.0)", True),
    ("float4 saturate(float4 a)", "saturate(c)", True),
    ("float4 saturate(float4 a)", "::saturate(c)", True),
    ("float4 sin(int4 a)", "sin(int4(c))", True),
    ("float saturate(Texture2D t, float4 a)", "saturate(t, c)", False),
    ("float sin(S s)", "sin(s)", False),
    ("float asuint(E e)", "asuint(e)", False),
    ("float dot(float4 a, float4x4 b)", "dot(c, (float4x4)c.x)", False),
    ("float pow(float a, float b, float d)", "pow(c.x, c.y, c.z)", False),
]


@pytest.mark.parametrize(("declaration", "call", "is_intrinsic"), INTRINSIC_CALLS)
@pytest.mark.parametrize("outside", [True, False], ids=["global", "namespace"])
def test_an_intrinsic_that_matches_wins(declaration: str, call: str, is_intrinsic: bool, outside: bool) -> None:
    function = f"{declaration} {{ return 1234; }}"
    caller = f"float4 f(float4 c) {{ S s = {{c.x}}; E e = A; return ({call}).xxxx; }}"
    text = f"{function} {caller}" if outside else f"namespace N {{ {function} {caller} }}"
    main = f"float4 main(float4 c : A) : SV_Target {{ return {'f' if outside else 'N::f'}(c); }}"
    result = compile_shader(
        f"enum E {{ A }}; struct S {{ float x; }}; Texture2D t; {text} {main}",
        profile="ps_6_0",
        options=CompileOptions(validate="no", codegen_only=True),
    )
    assert result.module is not None, [d.message for d in result.diagnostics]
    called = any(inst.op == op.OpConstant and inst.id(0) == 0x449A4000 for inst in result.module.globals)
    assert called is not is_intrinsic


@pytest.mark.parametrize(
    ("declarations", "call"),
    [
        ("namespace N { float3 pow(float3 a, float b) { return 1234; } }", "N::pow(c.xyz, 2.0)"),
        (
            "struct T { float3 cross(float3 a, float3 b) { return 1234; }"
            " float3 f(float3 a) { return cross(a, a); } };",
            "((T)0).f(c.xyz)",
        ),
    ],
)
def test_members_of_structs_and_namespaces_hide_intrinsics(declarations: str, call: str) -> None:
    text = f"{declarations} float4 main(float4 c : A) : SV_Target {{ return ({call}).xxxx; }}"
    result = compile_shader(text, profile="ps_6_0", options=CompileOptions(validate="no", codegen_only=True))
    assert result.module is not None, [d.message for d in result.diagnostics]
    assert any(inst.op == op.OpConstant and inst.id(0) == 0x449A4000 for inst in result.module.globals)


@replaces_functions
def test_rejected_candidates_are_explained_only_if_none_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    described: list[str] = []
    real = overloads.signature

    def signature(f: Function) -> str:
        described.append(f.name)
        return real(f)

    monkeypatch.setattr(overloads, "signature", signature)
    structs = "".join(f"struct S{i} {{ float a; }}; float f(S{i} s) {{ return {i}; }}\n" for i in range(20))
    source = f"{structs}struct T {{ float a; }};\nfloat4 main() : SV_Target {{ return f((S3)0) + f((S19)0); }}\n"
    assert compile_shader(source, profile="ps_6_0").ok
    assert not described
    result = compile_shader(source.replace("(S3)", "(T)"), profile="ps_6_0")
    (error,) = result.diagnostics
    assert described == ["f"] * 20
    assert "no known conversion from 'T' to 'S0'" in error.notes[0].message
