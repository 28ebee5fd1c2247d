"""Diagnostics about common mistakes, and their locations.

In each case ``@`` marks the location that the diagnostic must have; it is removed from the shader.
"""

from __future__ import annotations

from typing import Any

import pytest

from hlsl_tool.base.options.compile_options import HLSL_202X, CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult

FRAME = """float4 value; int number; Texture2D<float4> tex; SamplerState smp;
struct S {{ float a; float3 b; void set(float x) {{ a = x; }} }};
float3 three(float x, float3 y) {{ return x * y; }}
void one(out float x) {{ x = 1; }} void four(out float4 x) {{ x = 1; }}
{declarations}
float4 main(float4 color : COLOR) : SV_Target {{
    {statements}
    return color;
}}
"""


def names(cases: list[Any]) -> list[str]:
    return [(case.values if hasattr(case, "values") else case)[0] for case in cases]


STATEMENTS: list[Any] = [
    ("color.x = @colour.y;", "error", "use of undeclared identifier 'colour'"),
    ("color.x = @zzz;", "error", "use of undeclared identifier 'zzz'"),
    ("color.x = @nothing(1);", "error", "use of undeclared identifier 'nothing'"),
    ("@Foo f;", "error", "unknown type name 'Foo'"),
    ("S s; s.@c = 1;", "error", "no member named 'c' in 'S'"),
    ("S s; s.@push(1);", "error", "no member named 'push' in 'S'"),
    ("color.xyz = @three(1);", "error", "no matching function for call to 'three'"),
    ("color.xyz = @three(1, 2, 3);", "error", "no matching function for call to 'three'"),
    ("color = @saturate();", "error", "no matching function for call to 'saturate'"),
    ("color = tex.@Sample(smp);", "error", "no matching member function for call to 'Sample'"),
    ("float x; float @x;", "error", "redefinition of 'x'"),
    ("value.x @= 1;", "error", "cannot assign to variable 'value' with const-qualified type 'const float4'"),
    ("const float k = 1; k @= 2;", "error", "cannot assign to variable 'k' with const-qualified type 'const float'"),
    ("1 @= number;", "error", "expression is not assignable"),
    ("color.xx @= 1;", "error", "vector is not assignable (contains duplicate components)"),
    ("color.xy = color.@abc;", "error", "illegal vector component name 'c'"),
    ("float2 p = 1; color.x = p.@z;", "error", "vector component access exceeds size of vector 'float2'"),
    ("S s; color = @s;", "error", "cannot convert from 'S' to 'float4'"),
    ("float4 f = color.@xy;", "error", "cannot initialize a variable of type 'float4' with an lvalue of type 'float2'"),
    ("float2x2 m = color.@xyz;", "error",
     "cannot initialize a variable of type 'float2x2' with an lvalue of type 'float3'"),
    ("color = float4(color.@xyz);", "error", "too few elements in vector initialization (expected 4 elements, have 3)"),
    ("float2 f = float2@(1, 2, 3);", "error",
     "too many elements in vector initialization (expected 2 elements, have 3)"),
    ("color.x = color @% tex;", "error", "scalar, vector, or matrix expected"),
    ("color.x = color @& 1;", "error", "int or unsigned int type required"),
    ("bool b = color.xy @&& color.zw;", "error",
     "operands for short-circuiting logical binary operator must be scalar, for non-scalar types use 'and'"),
    ("color = color @> 0 ? color : 1;", "error",
     "condition for short-circuiting ternary operator must be scalar, for non-scalar types use 'select'"),
    ("@break;", "error", "'break' statement not in loop or switch statement"),
    ("@continue;", "error", "'continue' statement not in loop statement"),
    ("switch (number) { case 1: break; @case 1: break; }", "error", "duplicate case value '1'"),
    ("S s; switch (@s) { case 1: break; }", "error", "statement requires expression of integer type ('S' invalid)"),
    ("color.x = @this.a;", "error", "invalid use of 'this' outside of a non-static member function"),
    ("float a[2]; color.x = a[@2];", "error", "array index 2 is out of bounds"),
    ("color.x = color[@4];", "error", "vector element index '4' is out of bounds"),
    ("float a[abs@(-4)];", "error", "array size is not a constant expression"),
    ("float a[@number];", "error", "array size is not a constant expression"),
    ("float2 xy = @color;", "warning", "implicit truncation of vector type"),
    ("one(@color);", "error", "cannot truncate lvalue vector/matrix"),
    ("one(color.@xy);", "error", "cannot truncate lvalue vector/matrix"),
    ("int3 i; one(@i);", "error", "cannot truncate lvalue vector/matrix"),
    ("one(color.x);", "", ""),
    ("float3 t; four(@t);", "error",
     "cannot initialize a parameter of type 'float4 &' with an lvalue of type 'float3'"),
    ("uint2 u; tex.@GetDimensions(u, u);", "error", "no matching member function for call to 'GetDimensions'"),
    ("float2 u; tex.@Load(0, 0, u);", "error", "no matching member function for call to 'Load'"),
    ("color.x = @color.x == color.y;", "", ""),
    ("enum E { A, B }; E e = A; e += @1;", "error", "cannot convert from 'literal int' to 'E'"),
    ("enum E { A, B }; E e = A; color.x = e << @number;", "error", "cannot convert from 'int' to 'E'"),
    ("enum E { A, B }; E e = A; e |= B; color.x = e << B;", "", ""),
    ("string @text = \"a\";", "error", "string declaration may only appear in global scope"),
    ("static const string @text = \"a\";", "error", "string declaration may only appear in global scope"),
    ("auto @text = \"a\";", "error", "string declaration may only appear in global scope"),
    ("printf(number @? \"a\" : \"b\");", "error", "type mismatch"),
    ("RWByteAddressBuffer b; b.@Store(0, \"a\");", "error", "no matching member function for call to 'Store'"),
    ("unsigned int4 u = 1; unsigned int3x3 m = u.x; unsigned dword d = 1; color = ((unsigned int2)color.xy).xyxy;",
     "", ""),
    ("color.x = @1.5f16;", "error",
     "16-bit floating-point literal suffix 'f16' requires '-enable-16bit-types'"),
    ("@unsigned float u = 1;", "error", "unknown type name 'unsigned float'"),
    ("const float k; static const float3 v[3]; const S s; s.set(k); color.x = v[1].x;", "", ""),
    ("@volatile float x = 1;", "error", "'volatile' is a reserved keyword in HLSL"),
    ("color.x = (@volatile float)1;", "error", "'volatile' is a reserved keyword in HLSL"),
]  # fmt: skip


def compiled(text: str, **options: object) -> CompileResult:
    chosen = CompileOptions(validate="no", codegen_only=True, **options)  # type: ignore[arg-type]
    return compile_shader(text, profile="ps_6_0", options=chosen)


def check(text: str, severity: str, message: str) -> None:
    before, _, after = text.partition("@")
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    result = compiled(before + after)
    found = [
        (d.severity, d.message, d.location.line, d.location.col) for d in result.diagnostics if d.location is not None
    ]
    if not severity:
        assert found == []
        return
    assert found[:1] == [(severity, message, line, column)]
    assert result.ok == (severity == "warning")


@pytest.mark.parametrize(("statements", "severity", "message"), STATEMENTS, ids=names(STATEMENTS))
def test_statements(statements: str, severity: str, message: str) -> None:
    check(FRAME.format(declarations="", statements=statements), severity, message)


DECLARATIONS: list[Any] = [
    ("float half_done() { @} static float f = half_done();", "error", "control reaches end of non-void function"),
    ("float some(bool b) { if (b) return 1; @} static float f = some(true);", "error",
     "control may reach end of non-void function"),
    ("void f() { @return 1; }", "error", "void function 'f' should not return a value"),
    ("float f() { @return; }", "error", "non-void function 'f' should return a value"),
    ("struct T { float a; float @a; };", "error", "duplicate member 'a'"),
    ("struct T { @U u; };", "error", "unknown type name 'U'"),
    ("static const float k = @tex;", "error",
     "cannot initialize a variable of type 'float' with an lvalue of type 'Texture2D<float4>'"),
    ("float f(out float x) { x = 1; return x; } static float g = @f(2);", "error",
     "no matching function for call to 'f'"),
    ("float f(float x) { return x; } float @f(float y) { return y; }", "error", "redefinition of 'f'"),
    ("int f(float x) { return 1; } float @f(float x);", "error",
     "functions that differ only in their return type cannot be overloaded"),
    ("float f(float x = 1, float @y) { return x; }", "error", "missing default argument on parameter 'y'"),
    ("float4 f(@vector<float, 5> v) { return 0; }", "error", "invalid value, valid range is between 1 and 4 inclusive"),
    ("struct T { float a; @operator int() { return 1; } };", "error",
     "conversion operator overloading is not allowed"),
    ("struct T { float a; T @operator=(T t) { return t; } };", "error", "overloading 'operator=' is not allowed"),
    ("struct T { float a; T @operator+=(T t) { return t; } };", "error", "overloading 'operator+=' is not allowed"),
    ("struct T { float a; T @operator++() { return this; } };", "error", "overloading 'operator++' is not allowed"),
    ("S @operator+(S a, S b) { return a; }", "error", "overloading non-member 'operator+' is not allowed"),
    ("@volatile static float k;", "error", "'volatile' is a reserved keyword in HLSL"),
    ("groupshared @volatile float k;", "error", "'volatile' is a reserved keyword in HLSL"),
    ("struct T { @volatile float k; };", "error", "'volatile' is a reserved keyword in HLSL"),
    ("float f(@volatile float k) { return k; }", "error", "'volatile' is a reserved keyword in HLSL"),
    ("template<typename T> struct G { T get(); }; template<typename T> T G<T>::@put() { return 1; }", "error",
     "out-of-line definition of 'put' does not match any declaration in 'G'"),
    ("struct G { template<typename T> T get(); }; template<typename T> T G::@get() { return 1; }", "error",
     "out-of-line definition of member template 'get' is not supported"),
    ("struct G { S get(); float s; }; S G::get() { return @S; }", "error", "'S' does not refer to a value"),
    ("float f(string @text) { return 1; }", "error", "parameter of type string is not supported"),
    ("string @f();", "error", "return value of type string is not supported"),
    ("string @texts[2];", "error", "array of type string is not supported"),
    ("template<typename T> float f(T x) { return 1; } static float g = @f(\"a\");", "error",
     "no matching function for call to 'f'"),
    ("template<int N> float f() { return N; } static float g = @f<\"a\">();", "error",
     "no matching function for call to 'f'"),
    ("float f(S s) { return 1; } S t(const S s) { s.set(1); return s; }", "", ""),
    ("@static_assert(sizeof(float4) == 12, \"size\");", "error", "static_assert failed \"size\""),
    *((f"struct E {{ {members} }}; {name}<@E> e;", "error",
       "elements of typed buffers and textures must be scalars or vectors") for name in (
        "Texture2D", "RWTexture2D", "RWTexture3D", "TextureCube", "Buffer", "RWBuffer", "RasterizerOrderedTexture2D",
    ) for members in ("float a;", "float a, b, c, d, e;", "float a[2];", "float a; int b;")),
    *((f"{name}<@{written}> e;", "error", message) for name in (
        "ThreadNodeInputRecord", "RWDispatchNodeInputRecord", "GroupNodeInputRecords", "NodeOutput", "NodeOutputArray",
        "ThreadNodeOutputRecords",
    ) for written, message in (
        ("float", "'float' is not valid as a node record type - struct/class required"),
        ("uint2", "'uint2' is not valid as a node record type - struct/class required"),
    )),
    ("struct N {}; NodeOutput<@N> e;", "error", "record used in NodeOutput may not have zero size"),
    ("struct N { Texture2D t; }; NodeOutput<@N> e;", "error",
     "object 'Texture2D<float4>' is not allowed in node records"),
    ("Buffer<@double3> b;", "error", "elements of typed buffers and textures must fit in four 32-bit quantities"),
    ("RWTexture2D<@int64_t3> b;", "error",
     "elements of typed buffers and textures must fit in four 32-bit quantities"),
]  # fmt: skip


@pytest.mark.parametrize(("declaration", "severity", "message"), DECLARATIONS, ids=names(DECLARATIONS))
def test_declarations(declaration: str, severity: str, message: str) -> None:
    check(FRAME.format(declarations=declaration, statements=""), severity, message)


def test_missing_entry() -> None:
    result = compiled("float4 mian() : SV_Target { return 1; }")
    assert not result.ok
    assert [d.message for d in result.diagnostics] == ["missing entry point definition"]
    assert result.diagnostics[0].hint == "there is no function 'main' with a body; did you mean 'mian'?"


def test_recursion() -> None:
    result = compiled("float f(float x) { return f(x - 1); } float4 main() : SV_Target { return f(3); }")
    assert [d.message for d in result.diagnostics] == [
        "recursive functions are not allowed: function 'main' calls recursive function 'f'"
    ]


def test_candidates_are_named() -> None:
    result = compiled(
        "float f(float2 x) { return 1; } float4 main(S s : A) : SV_Target { return f(1, 2); }".replace("S s : A", "")
    )
    (error,) = result.diagnostics
    assert error.message == "no matching function for call to 'f'"
    assert [note.location.line for note in error.notes if note.location is not None] == [1]
    assert "candidate function" in error.notes[0].message


@pytest.mark.parametrize(
    ("call", "why", "signature"),
    [
        ("lerp(1, 2)", "requires 3 arguments, but 2 were provided", "float lerp(float, float, float), of any shape"),
        ("printf()", "requires 1 argument, but 0 were provided", "void printf(string, ...)"),
        ("cross(v.xyz, v.xy)", "no known conversion from 'float2' to 'float3' for argument 2",
         "float3 cross(float3, float3)"),
        ("determinant(v)", "no known conversion from 'float4' to 'float<r,r>' for argument 1",
         "float determinant(float<r,r>)"),
        ("step(v, (float2x2)0)", "the shape of 'float2x2', argument 2, does not fit those before it",
         "float4 step(float4, float4)"),
        ("lerp(v.xyz, 1)", "requires 3 arguments, but 2 were provided", "float3 lerp(float3, float3, float3)"),
        ("max((uint3)0, s)", "no known conversion from 'SamplerState' to 'uint3' for argument 2",
         "uint3 max(uint3, uint3)"),
        ("fma(1.0f, 2, 3)", "no known conversion from 'float' to 'double' for argument 1",
         "double fma(double, double, double), of any shape"),
        ("modf(v, 1, 2)", "requires 2 arguments, but 3 were provided", "float4 modf(float4, out float4)"),
    ],
)  # fmt: skip
def test_candidates_of_intrinsics(call: str, why: str, signature: str) -> None:
    result = compiled(f"SamplerState s; float4 main(float4 v : A) : SV_Target {{ {call}; return v; }}")
    (error,) = result.diagnostics
    assert error.message == f"no matching function for call to '{call.partition('(')[0]}'"
    assert [note.message for note in error.notes] == [f"candidate function not viable: {why}: {signature}"]


@pytest.mark.parametrize(
    ("argument", "why"),
    [
        ("local", "is no groupshared variable"),
        ("four.xy", "is no groupshared variable"),
        ("row", "is a groupshared 'uint[4]', not a 'uint'"),
        ("signed_", "is a groupshared 'int', not a 'uint'"),
    ],
)
def test_arguments_of_groupshared_parameters(argument: str, why: str) -> None:
    text = f"""groupshared uint row[4]; groupshared int signed_; groupshared uint4 four;
void f(groupshared uint x) {{ x = 1; }}
[numthreads(1, 1, 1)] void main() {{ uint local = 0; f(row[1]); f({argument}); }}"""
    (error,) = compile_shader(text, profile="cs_6_0", options=CompileOptions(hlsl_version=HLSL_202X)).diagnostics
    assert error.message == "no matching function for call to 'f'"
    assert [note.message for note in error.notes] == [f"candidate function not viable: argument 1 {why}: void f(uint)"]


def test_several_errors_in_one_run() -> None:
    text = "float4 main() : SV_Target {\n    float a = x1;\n    float b = x2;\n    return y1 + y2;\n}\n"
    lines = [d.location.line for d in compiled(text).diagnostics if d.location is not None]
    assert lines[:3] == [2, 3, 4]


def test_warnings_as_errors() -> None:
    text = "float4 main(float4 c : C) : SV_Target { float2 p = c; return p.xyxy; }"
    assert compiled(text).ok
    result = compiled(text, warnings_as_errors=True)
    assert not result.ok
    assert [d.severity for d in result.diagnostics] == ["error"]
    assert compiled(text, no_warnings=True).diagnostics == []


@pytest.mark.parametrize(
    ("source", "profile", "hint"),
    [
        ("vector<float, 8> v;", "ps_6_8", "vectors of up to 1024 components need shader model 6.9"),
        ("vector<float, 1025> v;", "ps_6_8", None),
        ("static vector<float, 8> v; static float x = v.x;", "ps_6_9", "its components are accessed by index: `v[0]`"),
    ],
)
def test_hints_about_long_vectors(source: str, profile: str, hint: str | None) -> None:
    result = compile_shader(source + " float4 main() : SV_Target { return 1; }", profile=profile)
    assert not result.ok
    assert result.diagnostics[0].hint == hint


@pytest.mark.parametrize(
    ("statement", "hint"),
    [
        ("InterlockedAdd(pairs[0], float2(1, 2))", "an atomic changes one component of a vector, such as `v.x`"),
        (
            "InterlockedCompareStore(sums[0], 1.0, 2.0)",
            "`InterlockedCompareStoreFloatBitwise` compares the bits of floats",
        ),
        ("InterlockedAnd(sums[0], 1.0)", None),
    ],
)
def test_hints_about_atomics(statement: str, hint: str | None) -> None:
    source = f"""
RWStructuredBuffer<float> sums; RWStructuredBuffer<float2> pairs;
[numthreads(1, 1, 1)] void main() {{ {statement}; }}"""
    result = compile_shader(source, profile="cs_6_6")
    assert not result.ok
    assert result.diagnostics[0].hint == hint


@pytest.mark.parametrize(
    ("expression", "what"),
    [
        ("number + (number = 2)", "modification and access"),
        ("(number = 2) + number", "modification and access"),
        ("(number = 1) + (number = 2)", "modifications"),
        ("number++ + number++", "modifications"),
        ("number + number++", "modification and access"),
    ],
)
def test_kinds_of_accesses_without_an_order(expression: str, what: str) -> None:
    source = f"float4 main() : SV_Target {{ int number = 0; return {expression}; }}"
    text = [d.message for d in compile_shader(source, profile="ps_6_0").diagnostics if "unsequenced" in d.message]
    words = "multiple unsequenced" if what == "modifications" else "unsequenced"
    assert text == [f"{words} {what} to 'number'"]


@pytest.mark.parametrize("scope", ["", "hlsl::"])
def test_numeric_limits_of_earlier_versions(scope: str) -> None:
    text = f"float4 main() : SV_Target {{ return {scope}numeric_limits<float>::max(); }}"
    (error,) = compile_shader(text, profile="ps_6_0").diagnostics
    assert error.hint == "compile with `-HV 202x`, which has `numeric_limits`"
