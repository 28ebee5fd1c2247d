"""Names declared twice in one scope: which declarations exclude each other, as in DXC."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader

TWICE = "redefinition of 'a'"
KIND = "redefinition of 'a' as different kind of symbol"


def errors(declarations: str) -> list[str]:
    source = f"{declarations}\nfloat4 main() : SV_Target {{ return 0; }}"
    result = compile_shader(source, profile="ps_6_0", options=CompileOptions(validate="no", codegen_only=True))
    return [d.message for d in result.diagnostics if d.severity == "error"]


@pytest.mark.parametrize(
    ("declarations", "message"),
    [
        ("cbuffer C { float a; } cbuffer D { float a; }", TWICE),
        ("cbuffer C { float a; } tbuffer D { float a; }", TWICE),
        ("cbuffer C { float a; } cbuffer C { float a; }", TWICE),
        ("cbuffer C { float a; float a; }", TWICE),
        ("cbuffer C { float a; } float a;", TWICE),
        ("float a; cbuffer C { float a; }", TWICE),
        ("cbuffer C { float a; } static float a;", TWICE),
        ("cbuffer C { Texture2D a; } cbuffer D { Texture2D a; }", TWICE),
        ("cbuffer C { float a; } uint a;", "redefinition of 'a' with a different type: 'uint' vs 'float'"),
        ("cbuffer C { float a; int a; }", "redefinition of 'a' with a different type: 'int' vs 'float'"),
        ("namespace N { cbuffer C { float a; } cbuffer D { float a; } }", TWICE),
        ("namespace N { cbuffer C { float a; } } namespace N { cbuffer D { float a; } }", TWICE),
        ("cbuffer C { float a; } void a() {}", KIND),
        ("void a() {} cbuffer C { float a; }", KIND),
        ("cbuffer C { float a; } namespace a { int x; }", KIND),
        ("namespace a { int x; } cbuffer C { float a; }", KIND),
        ("cbuffer C { float a; } enum E { a };", TWICE),
        ("enum E { a }; cbuffer C { float a; }", KIND),
        ("cbuffer C { float a; } typedef int a;", KIND),
        ("typedef int a; cbuffer C { float a; }", KIND),
        ("cbuffer C { float a; } using a = int;", KIND),
        ("float a; void a() {}", KIND),
        ("void a(); float a;", KIND),
        ("namespace a { int x; } void a() {}", KIND),
        ("void a() {} namespace a { int x; }", KIND),
        ("struct a { int x; }; namespace a { int y; }", KIND),
        ("namespace a { int y; } struct a { int x; };", KIND),
        ("enum E { a }; void a() {}", KIND),
        ("void a() {} enum E { a };", TWICE),
        ("enum E { a }; enum F { a };", "redefinition of enumerator 'a'"),
        ("typedef int a; typedef float a;", "typedef redefinition with different types ('float' vs 'int')"),
        ("struct a { int x; }; typedef int a;", "typedef redefinition with different types ('int' vs 'a')"),
        ("typedef int a; void a() {}", KIND),
        ("template<typename T> struct a { T x; }; float a;", KIND),
        ("template<typename T> struct a { T x; }; struct a { int x; };", KIND),
        ("float a; template<typename T> T a(T x) { return x; }", KIND),
        ("struct S { int a; void a() {} };", KIND),
        ("struct S { void a() {} int a; };", "duplicate member 'a'"),
    ],
)
def test_refused(declarations: str, message: str) -> None:
    assert errors(declarations) == [message]


@pytest.mark.parametrize(
    "declarations",
    [
        "cbuffer C { float a; } cbuffer C { float b; }",
        "cbuffer C { float a; } float C; ",
        "cbuffer C { float a; } void C() {}",
        "cbuffer C { float a; } struct C { int x; };",
        "cbuffer C { float a; } namespace C { int x; }",
        "cbuffer C { float C; }",
        "struct P { float a; }; ConstantBuffer<P> c; cbuffer c { float q; }",
        "namespace N { cbuffer C { float a; } } cbuffer D { float a; }",
        "namespace N { static float a; } using namespace N; float a;",
        "namespace N { enum E { a }; typedef int t; void f() {} } using namespace N; float a; typedef float t; int f;",
        "struct a { int x; }; void a() {}",
        "struct a { int x; }; cbuffer C { float a; }",
        "enum E { a }; struct a { int x; };",
        "cbuffer C { float a; } enum class E { a };",
        "typedef struct a { int x; } a;",
        "typedef int a; typedef int a;",
        "void a() {} void a(int x) {}",
        "static float a; void f() { float a = 1; { float a = 2; } }",
        "cbuffer C { float a; } float f(float a) { return a; }",
    ],
)
def test_allowed(declarations: str) -> None:
    assert errors(declarations) == []
