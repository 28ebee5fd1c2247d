"""Effects of Direct3D and subobjects of libraries: accepted, ignored, and reported."""

from __future__ import annotations

import re

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult

OBJECT = "effect object ignored - effect syntax is deprecated"
STATE = (
    "effect state block ignored - effect syntax is deprecated. To use braces as an initializer use them with equal"
    " signs."
)
SAMPLER = "effect sampler_state assignment ignored - effect syntax is deprecated"
ANNOTATION = "possible effect annotation ignored - effect syntax is deprecated"
TECHNIQUE = "effect technique ignored - effect syntax is deprecated"


def compiled(declarations: str, **options: object) -> CompileResult:
    source = f"{declarations}\nfloat4 main() : SV_Target {{ return 0; }}"
    given = CompileOptions(validate="no", codegen_only=True, **options)  # type: ignore[arg-type]  # by name
    return compile_shader(source, profile="ps_6_0", options=given)


def places(result: CompileResult) -> list[tuple[int, str]]:
    return [(d.location.col if d.location else 0, f"{d.severity}: {d.message}") for d in result.diagnostics]


@pytest.mark.parametrize(
    ("declaration", "wanted"),
    [
        ("BlendState b;", [(1, OBJECT)]),
        ("BlendState b { BlendEnable[0] = TRUE; };", [(1, OBJECT), (14, STATE)]),
        ("BlendState b[2] { { A = 1; }, { A = 2; } };", [(1, OBJECT), (17, STATE)]),
        ("DepthStencilState d { DepthEnable = FALSE; };", [(1, OBJECT), (21, STATE)]),
        ("RasterizerState r;", [(1, OBJECT)]),
        ("RenderTargetView r; DepthStencilView d;", [(1, OBJECT), (21, OBJECT)]),
        ("PixelShader p = CompileShader(ps_4_0, main());", [(1, OBJECT)]),
        ("PixelShader p = compile ps_4_0 main();", [(1, OBJECT)]),
        ("static VertexShader v[2] = { compile vs_4_0 f(), compile vs_5_0 f(1, 2) };", [(8, OBJECT)]),
        (
            "BlendState b[2]; GeometryShader g[2][3]; texture t[2] : register(t0);",
            [(1, OBJECT), (18, OBJECT), (42, OBJECT)],
        ),
        ("cbuffer C { float x; HullShader h[2]; } tbuffer T { texture t; float y; }", [(22, OBJECT), (53, OBJECT)]),
        (
            "GeometryShader g; HullShader h; DomainShader d; ComputeShader c; VertexShader v;",
            [(1, OBJECT), (19, OBJECT), (33, OBJECT), (49, OBJECT), (66, OBJECT)],
        ),
        ("SamplerState s { Filter = MIN_MAG_MIP_LINEAR; };", [(16, STATE)]),
        ("sampler s = sampler_state { Texture = <t>; };", [(13, SAMPLER)]),
        ('Texture2D t <string s = "x"; int k = 2;>;', [(13, ANNOTATION)]),
        ("SamplerState s : register(s0) = sampler_state { Filter = X; };", [(33, SAMPLER)]),
        ("float3 d < float3 y = float3(1,2,3); int k = 1+2; bool b = 3 < 2; >;", [(10, ANNOTATION)]),
        ("static float3 d < float x = -1; float y[2] = {1,2}; > = {1,2,3};", [(17, ANNOTATION)]),
        ('float4 c <string s = "x";>;', [(10, ANNOTATION)]),
        ("technique T { pass P { VertexShader = compile vs_2_0 VS(); } }", [(1, TECHNIQUE)]),
        ('technique10 T <string a = "b";> { pass P <int x = 1;> { SetVertexShader(0); } }', [(1, TECHNIQUE)]),
        ("technique11 { pass { } }", [(1, TECHNIQUE)]),
        ("Technique { pass { } }", [(1, TECHNIQUE)]),
        (
            "Texture a; texture b; pixelfragment c; vertexfragment d;",
            [(1, OBJECT), (12, OBJECT), (23, OBJECT), (40, OBJECT)],
        ),
        ("texture t < int k = 1; > { s = f; };", [(1, OBJECT), (11, ANNOTATION), (26, STATE)]),
        ("SamplerState s { Filter = X; }, t[2] { A = b; }, u;", [(16, STATE), (38, STATE)]),
        ("Texture2D t : register(t1), u : register(t2) { A = b; }, v[3];", [(46, STATE)]),
        (
            "Texture2D t : register(t1) < int k = 1; > { A = b; }, u[3] < int a = 3; int b = 2; >;",
            [(28, ANNOTATION), (43, STATE), (60, ANNOTATION)],
        ),
        ("SamplerState s : register(s7) < bool k = 1 > 2; > { A = b; };", [(31, ANNOTATION), (51, STATE)]),
        ("float4 c : COLOR { a = 1; };", [(18, STATE)]),
        ("static int a[2] { 1, 2 };", [(17, STATE)]),
        ("cbuffer C { BlendState b { a = 1; }; float c { a = 1; }; }", [(13, OBJECT), (26, STATE), (46, STATE)]),
        (
            "void f() { RenderTargetView r { a = 1; }; int k { a = 1; }, m { a = 2; }; }",
            [(12, OBJECT), (31, STATE), (49, STATE), (63, STATE)],
        ),
    ],
)
def test_effects(declaration: str, wanted: list[tuple[int, str]]) -> None:
    assert places(compiled(declaration)) == [(at, f"warning: {message}") for at, message in wanted]
    assert compiled(declaration).ok
    assert places(compiled(declaration, warnings=("no-effects-syntax",))) == []


@pytest.mark.parametrize(
    ("declaration", "at"),
    [
        ("struct S { float x; PixelShader p; };", 21),
        ("struct S { BlendState b[2]; };", 12),
        ("template<typename T> struct S { T t; }; S<RasterizerState> s;", 43),
        ("void f(DepthStencilState d) { }", 8),
        ("RenderTargetView f();", 1),
        ("typedef VertexShader V;", 9),
        ("using V = HullShader;", 11),
    ],
)
def test_only_variables_are_ignored(declaration: str, at: int) -> None:
    name = re.split(r"\W", declaration[at - 1 :])[0]
    text = f"error: '{name}' is an effect object type, of which only variables can be declared; they are ignored"
    assert places(compiled(declaration)) == [(at, text)]


def test_compile_is_a_name_elsewhere() -> None:
    assert places(compiled("static float compile = 1; float f(float x) { return compile * x; }")) == []
    assert not compiled("static float x = compile ps_4_0 f();").ok


@pytest.mark.parametrize(
    "declaration",
    ["struct BlendState { float4 c; }; BlendState b;", "typedef float4 PixelShader; static PixelShader p = 1;"],
)
def test_names_of_effects_may_be_declared(declaration: str) -> None:
    assert places(compiled(declaration)) == []


def test_an_array_needs_a_size_in_front_of_a_state_block() -> None:
    size = "error: definition of variable with array type needs an explicit size or an initializer"
    assert places(compiled("int a[] { 1, 2 };")) == [(5, size), (9, f"warning: {STATE}")]


def test_an_ignored_object_cannot_be_used() -> None:
    source = "texture t;\nfloat4 f(SamplerState s) { return t.Sample(s, 0); }"
    assert places(compiled(source)) == [(1, f"warning: {OBJECT}"), (35, "error: use of undeclared identifier 't'")]


@pytest.mark.parametrize(
    "declaration",
    [
        "Texture2D Texture; float4 f(SamplerState s) { return Texture.Sample(s, 0); }",
        "struct S { float Texture; }; float f(S s) { return s.Texture; }",
        "float f(float texture) { if (texture < 1) { texture = 2; } return texture; }",
        "float f(float Texture) { float2 texture = Texture; return texture.x * Texture; }",
        "template <int N = 3> struct S; static const int k = 2;",
        "template <typename T = float> T f(T a); static const int k = 2;",
        "enum class E : uint { A }; struct B { int a; }; struct D : B { int b; };",
        "float f(int k) { [branch] switch (k) { case 1: { return 1; } default: { return 2; } } }",
    ],
)
def test_braces_and_names_that_are_no_effects(declaration: str) -> None:
    result = compiled(declaration)
    assert [m for _, m in places(result) if "error" in m or "effect" in m] == []


def test_a_template_argument_is_no_annotation() -> None:
    assert places(compiled("template<typename T> static const T k = 1; static const float f = k<float>;")) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GlobalRootSignature", '"CBV(b0)"'),
        ("LocalRootSignature", '"UAV(u0)"'),
        ("StateObjectConfig", "STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS"),
        ("SubobjectToExportsAssociation", '"grs", "a;b"'),
        ("RaytracingShaderConfig", "128, 64"),
        ("RaytracingPipelineConfig", "512"),
        ("RaytracingPipelineConfig1", "32, RAYTRACING_PIPELINE_FLAG_SKIP_TRIANGLES"),
        ("TriangleHitGroup", '"a", "b"'),
        ("ProceduralPrimitiveHitGroup", '"a", "b", "c"'),
    ],
)
def test_subobjects(name: str, value: str) -> None:
    source = f'{name} h = {{ {value} }};\n[shader("raygeneration")] void main() {{}}'
    options = CompileOptions(validate="no", target_env="vulkan1.2", warnings=("subobject-ignored",))
    result = compile_shader(source, profile="lib_6_3", options=options)
    assert result.ok
    assert places(result) == [(1, f"warning: '{name}' subobject ignored: SPIR-V has no counterpart")]


@pytest.mark.parametrize(
    ("declaration", "message"),
    [
        ('TriangleHitGroup h = { "a" };', "too few elements in subobject initialization (expected 2 elements, have 1)"),
        (
            'GlobalRootSignature g = { "a", "b" };',
            "too many elements in subobject initialization (expected 1 element, have 2)",
        ),
        ("TriangleHitGroup h = { 1, 2 };", "type mismatch"),
        ('RaytracingPipelineConfig c = { "a" };', "scalar, vector, or matrix expected"),
        (
            "RaytracingPipelineConfig c = 1;",
            "cannot initialize a variable of type 'RaytracingPipelineConfig' with an rvalue of type 'literal int'",
        ),
    ],
)
def test_wrong_subobjects(declaration: str, message: str) -> None:
    assert f"error: {message}" in [m for _, m in places(compiled(declaration))]
