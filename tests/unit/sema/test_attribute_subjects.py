"""Declarations that ``vk::`` attributes apply to, and the arguments of the attributes."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult

FUNCTIONS_AND_FIELDS = "functions, parameters, and fields"
BINDABLE = "global variables, cbuffers, and tbuffers"


def compiled(declarations: str) -> CompileResult:
    source = f"struct R {{ float a; }};\n{declarations}\nfloat4 main() : SV_Target {{ return 0; }}"
    return compile_shader(source, profile="ps_6_0", options=CompileOptions(validate="no", codegen_only=True))


def messages(declarations: str) -> list[str]:
    return [f"{d.severity}: {d.message}" for d in compiled(declarations).diagnostics]


REFUSED = [
    ("binding(1)", "struct S { @ Texture2D a; };", BINDABLE),
    ("binding(1)", "@ float f() { return 1; }", BINDABLE),
    ("binding(1)", "float f(@ Texture2D a) { return 1; }", BINDABLE),
    ("binding(1)", "float f() { @ float a = 1; return a; }", BINDABLE),
    ("binding(1)", "@ typedef float F;", BINDABLE),
    ("location(1)", "@ float v;", FUNCTIONS_AND_FIELDS),
    ("location(1)", "cbuffer C { @ float v; };", FUNCTIONS_AND_FIELDS),
    ("index(1)", "@ Texture2D v;", FUNCTIONS_AND_FIELDS),
    ('builtin("PointSize")', "@ static float v;", FUNCTIONS_AND_FIELDS),
    ("offset(16)", "@ float v;", "fields"),
    ("offset(16)", "float f(@ float a) { return a; }", "fields"),
    ("push_constant", "@ float v;", "global variables of struct type"),
    ("push_constant", "@ R v[2];", "global variables of struct type"),
    ("push_constant", "@ float f() { return 1; }", "global variables of struct type"),
    ("push_constant", "float f(@ R a) { return 1; }", "global variables of struct type"),
    ("push_constant", "struct [[vk::push_constant]] S { float a; };", "global variables of struct type"),
    (
        "counter_binding(1)",
        "@ StructuredBuffer<float> v;",
        "RWStructuredBuffers, AppendStructuredBuffers, and ConsumeStructuredBuffers",
    ),
    ("combinedImageSampler", "@ RWTexture2D<float4> v;", "Textures and Samplers"),
    ("combinedImageSampler", "@ float v;", "Textures and Samplers"),
    (
        'image_format("r32f")',
        "@ Texture2D v;",
        "RWTextures, RasterizerOrderedTextures, Buffers, RWBuffers, and RasterizerOrderedBuffers",
    ),
    ("input_attachment_index(0)", "@ Texture2D v;", "SubpassInput, SubpassInputMS"),
    ("constant_id(1)", "@ float f() { return 1; }", "global variables of scalar type"),
    ("constant_id(1)", "float f() { @ float a = 1; return a; }", "global variables of scalar type"),
    ("shader_record_ext", "@ float f() { return 1; }", "cbuffer or ConstantBuffer"),
    ("post_depth_coverage", "@ float v;", "functions"),
    ("early_and_late_tests", "float f(@ float a) { return a; }", "functions"),
    ("spvexecutionmode(1)", "@ float v;", "functions"),
    ("ext_instruction(1)", "@ float v;", "functions"),
    ("ext_literal", "@ float v;", "parameters"),
    ("ext_reference", "@ float f() { return 1; }", "parameters"),
    ("ext_storage_class(1)", "struct S { @ float a; };", "variables and parameters"),
    ("ext_decorate(0)", "@ cbuffer C { float a; };", "functions, variables, parameters, and types"),
]


@pytest.mark.parametrize(("attribute", "declaration", "words"), REFUSED)
def test_wrong_subject(attribute: str, declaration: str, words: str) -> None:
    name = attribute.split("(")[0]
    found = messages(declaration.replace("@", f"[[vk::{attribute}]]"))
    assert f"error: '{name}' attribute only applies to {words}" in found, found


@pytest.mark.parametrize("attribute", ["binding(1)", "ext_decorate(0)", "post_depth_coverage"])
def test_statements(attribute: str) -> None:
    name = attribute.split("(")[0]
    found = messages(f"float f() {{ [[vk::{attribute}]] if (true) return 1; return 2; }}")
    assert found == [f"error: '{name}' attribute cannot be applied to a statement"]


@pytest.mark.parametrize(
    "declaration",
    [
        "[[vk::binding(1)]] Texture2D v;",
        "[[vk::binding(1)]] cbuffer C { float a; };",
        "cbuffer C { [[vk::binding(1)]] Texture2D v; };",
        "[[vk::binding(1), vk::counter_binding(2)]] RWStructuredBuffer<float> v[2];",
        '[[vk::image_format("rgba16f")]] RWTexture2D<float4> v[2];',
        '[[vk::image_format("unknown")]] RWBuffer<float4> v;',
        "[[vk::push_constant]] R v;",
        "[[vk::push_constant]] ConstantBuffer<R> v;",
        "struct S { [[vk::location(1)]] float a; [[vk::offset(16)]] float b; };",
        "[[vk::location(0)]] float f([[vk::location(1)]] float a) { return a; }",
        "[[vk::constant_id(1)]] const float v = 1;",
    ],
)
def test_right_subject(declaration: str) -> None:
    assert [m for m in messages(declaration) if "placed in $Globals" not in m] == []


@pytest.mark.parametrize(
    ("declaration", "message"),
    [
        ("[[vk::push_constant(1)]] R v;", "error: 'push_constant' attribute takes no arguments"),
        ("[[vk::combinedImageSampler(1)]] Texture2D v;", "error: 'combinedImageSampler' attribute takes no arguments"),
        ("[[vk::image_format]] RWBuffer<float4> v;", "error: 'image_format' attribute takes one argument"),
        ("[[vk::image_format(r32f)]] RWBuffer<float4> v;", "error: 'image_format' attribute requires a string"),
        (
            '[[vk::image_format("rgba8f")]] RWBuffer<float4> v;',
            "warning: 'image_format' attribute argument not supported: rgba8f",
        ),
        (
            '[[vk::builtin("Nothing")]] float f() { return 1; }',
            "error: attribute 'builtin' must have one of these values: PointSize,HelperInvocation,BaseVertex,"
            "BaseInstance,DrawIndex,DeviceIndex,ViewportMaskNV",
        ),
        ("[[vk::Binding(1)]] Texture2D v;", "error: 'vk::Binding' is no attribute; did you mean 'vk::binding'?"),
        ("[[VK::binding(1)]] Texture2D v;", "error: 'VK::binding' is no attribute; did you mean 'vk::binding'?"),
        ("[[vk::shader_record]] Texture2D v;", "warning: unknown attribute 'shader_record' ignored"),
        (
            "[[vk::binding(1)]] static float v;",
            "warning: 'binding' attribute has no effect on a variable that is not externally visible by itself",
        ),
        (
            "cbuffer C { [[vk::binding(1)]] float v; };",
            "warning: 'binding' attribute has no effect on a variable that is not externally visible by itself",
        ),
        (
            "[[vk::binding(3)]] [[vk::binding(4)]] Texture2D v;",
            "warning: 'binding' attribute is overridden by another of the same name",
        ),
    ],
)
def test_arguments_and_names(declaration: str, message: str) -> None:
    assert messages(declaration) == [message]


DISCARDED = "warning: ignoring return value of function declared with '%s' attribute"


@pytest.mark.parametrize(
    ("declarations", "wanted"),
    [
        ("[[nodiscard]] float f() { return 1; } void g() { f(); }", [DISCARDED % "nodiscard"]),
        ("[[warn_unused_result]] float f() { return 1; } void g() { f(); }", [DISCARDED % "warn_unused_result"]),
        ("struct [[nodiscard]] S { float a; }; S f() { return (S)0; } void g() { f(); }", [DISCARDED % "nodiscard"]),
        (
            "struct S { float a; [[nodiscard]] float m() { return a; } }; void g(S s) { s.m(); }",
            [DISCARDED % "nodiscard"],
        ),
        ("[[nodiscard]] float f() { return 1; } void g() { float a = f(); a += f(); (void)f(); }", []),
        ("void g([[maybe_unused]] float a) { [[maybe_unused]] float b = a; }", []),
        ("[[maybe_unused]] static float a;", []),
        ("[GroupSharedLimit(1024)] void g() {}", []),
        ("[GroupSharedLimit] void g() {}", ["error: 'groupsharedlimit' attribute requires 1 argument"]),
    ],
)
def test_attributes_without_a_scope(declarations: str, wanted: list[str]) -> None:
    assert messages(declarations) == wanted


def test_group_shared_limit_belongs_to_stages_with_groups() -> None:
    text = "[GroupSharedLimit(64)] [numthreads(1, 1, 1)] void main() {}"
    options = CompileOptions(validate="no", codegen_only=True)
    assert compile_shader(text, profile="cs_6_0", options=options).diagnostics == []
    text = "[GroupSharedLimit(64)] float4 main() : SV_Target { return 0; }"
    found = compile_shader(text, profile="ps_6_0", options=options).diagnostics
    assert [d.message for d in found] == [
        "attribute GroupSharedLimit only allowed on compute, mesh, node, or amplification shaders"
    ]
