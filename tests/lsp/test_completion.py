"""Completion and signature help, also in code that does not parse."""

from __future__ import annotations

import pytest
from lsprotocol import types as lsp

from tests.lsp.conftest import Opener
from tests.lsp.editor import Editor

MAIN = "shaders/main.hlsl"


def complete(editor: Editor, name: str, marked: str) -> dict[str, lsp.CompletionItem]:
    """Return label → item of a completion."""
    answer = editor.request("completion", name, marked, lsp.CompletionParams)
    return {item.label: item for item in answer or ()}


@pytest.mark.parametrize("typed", ["sun.", "float x = sun.;", "shade(sun.", "lit = float3(sun., 1);", "if (sun.) { }"])
def test_members(edit: Opener, typed: str) -> None:
    editor = edit()
    editor.open(MAIN)
    editor.change(MAIN, "    for (int i", f"    {typed}\n    for (int i")
    items = complete(editor, MAIN, typed.replace("sun.", "sun.|"))
    assert list(items) == ["position", "range", "color"]
    assert items["color"].detail == "float3 color"


def test_members_after_a_call_and_an_index(edit: Opener) -> None:
    text = "struct T { int2 b; };\nT make() { return (T)0; }\nT list[4];\nvoid f() {  }\n"
    editor = edit({"free.hlsl": text})
    editor.open("free.hlsl")
    editor.change("free.hlsl", "void f() {  }", "void f() { make().; }")
    assert list(complete(editor, "free.hlsl", "make().|")) == ["b"]
    editor.change("free.hlsl", "make().", "list[1].b.")
    assert {"x", "y", "xy", "r"} <= set(complete(editor, "free.hlsl", "list[1].b.|"))
    assert "z" not in complete(editor, "free.hlsl", "list[1].b.|")


def test_swizzles_and_methods(editor: Editor) -> None:
    swizzles = complete(editor, MAIN, "lerp(lit, texel.|rgb")
    assert {"x", "w", "rgb", "xyzw"} <= set(swizzles)
    assert swizzles["rgb"].detail == "float3"
    methods = complete(editor, MAIN, "albedo.|Sample")
    assert {"Sample", "SampleLevel", "Load", "GetDimensions", "mips"} <= set(methods)
    assert "float4 Sample(SamplerState sampler, float2 location" in (methods["Sample"].detail or "")


def test_names_in_scope(editor: Editor) -> None:
    items = complete(editor, MAIN, "return float4(|lerp(")
    assert {"texel", "lit", "uv", "n", "sun", "albedo", "shade", "Light", "TWICE", "COUNT"} <= set(items)
    assert items["shade"].detail == "float3 shade(Light light, float3 normal)"
    assert items["texel"].detail == "float4 texel"
    assert {"lerp", "float4x4", "return", "Texture2D"} <= set(items)
    assert "float" in (items["lerp"].detail or "")
    assert "i" not in items  # the loop has ended
    items = complete(editor, MAIN, "return float4(le|rp(")
    assert "lerp" in items and "texel" not in items and "saturate" not in items


def test_locals_that_are_declared_later_are_not_in_scope(editor: Editor) -> None:
    items = complete(editor, MAIN, "float4 texel = |albedo")
    assert "uv" in items
    assert items["lit"].detail == "float4 lit(float n_dot_l, float n_dot_h, float m)"  # the intrinsic function


def test_members_of_the_own_struct(edit: Opener) -> None:
    text = "struct S { float a; float b; float sum(float k) { return a; } };\n"
    editor = edit({"free.hlsl": text})
    editor.open("free.hlsl")
    assert {"a", "b", "k", "sum"} <= set(complete(editor, "free.hlsl", "return |a"))


def test_locals_of_a_template_without_instances(edit: Opener) -> None:
    text = "template<typename T> T f(T value) { T copy = value; return ; }\nfloat g(float other) { return 1; }\n"
    editor = edit({"free.hlsl": text})
    editor.open("free.hlsl")
    items = complete(editor, "free.hlsl", "return |;")
    assert {"T", "value", "copy", "g"} <= set(items) and "other" not in items
    assert items["value"].detail == "T value"


def test_namespaces_and_enums(edit: Opener) -> None:
    text = "namespace N { float f(float x) { return x; } enum class E { A, B }; }\nfloat g() { return N::; }\n"
    editor = edit({"free.hlsl": text})
    editor.open("free.hlsl")
    assert {"f", "E"} <= set(complete(editor, "free.hlsl", "return N::|"))
    editor.change("free.hlsl", "return N::;", "return N::E::;")
    assert {"A", "B"} <= set(complete(editor, "free.hlsl", "N::E::|"))


def test_semantics_and_registers(editor: Editor) -> None:
    items = complete(editor, MAIN, "float3 n : |NORMAL")
    assert {"SV_Position", "SV_DispatchThreadID", "TEXCOORD0", "register"} <= set(items)


def test_attributes_directives_and_includes(edit: Opener) -> None:
    editor = edit()
    editor.open(MAIN)
    editor.change(MAIN, "    for (int", "    []\n    for (int")
    assert "unroll" in complete(editor, MAIN, "    [|]")
    editor.change(MAIN, "#ifdef FOG", "#if\n#ifdef FOG")
    assert "ifdef" in complete(editor, MAIN, "#if|\n")
    editor.change(MAIN, '"include/common.hlsli"', '"include/"')
    assert list(complete(editor, MAIN, '#include "include/|')) == ["common.hlsli"]


def test_nothing_in_comments(edit: Opener) -> None:
    editor = edit({"free.hlsl": "// a word\n/* and more */ float x;\n"})
    editor.open("free.hlsl")
    assert complete(editor, "free.hlsl", "a wo|rd") == {}
    assert complete(editor, "free.hlsl", "and mo|re") == {}


def test_completion_in_an_empty_file(edit: Opener) -> None:
    editor = edit({"free.hlsl": ""})
    editor.open("free.hlsl")
    assert {"struct", "float4", "Texture2D"} <= set(complete(editor, "free.hlsl", "|"))


def signatures(editor: Editor, name: str, marked: str) -> lsp.SignatureHelp | None:
    """Return the answer of signature help."""
    return editor.request("signature_help", name, marked, lsp.SignatureHelpParams)


def test_signatures(editor: Editor) -> None:
    answer = signatures(editor, MAIN, "shade(sun, |n)")
    assert answer is not None
    assert [s.label for s in answer.signatures] == ["float3 shade(Light light, float3 normal)"]
    assert answer.active_parameter == 1
    assert [p.label for p in answer.signatures[0].parameters or ()] == ["Light light", "float3 normal"]
    answer = signatures(editor, MAIN, "albedo.Sample(linearWrap, |uv")
    assert answer is not None and answer.signatures[0].label.startswith(
        "float4 Sample(SamplerState sampler, float2 location"
    )
    answer = signatures(editor, MAIN, "lerp(lit, texel.rgb, |0.5")
    assert answer is not None and answer.active_parameter == 2
    assert signatures(editor, MAIN, "cbuffer Fra|me") is None


@pytest.mark.parametrize(
    ("marked", "parameters"), [("f(|1)", 1), ("f(1, |2)", 2), ("f(1, 2, |3)", 3), ("f(1, 2, 3, |4)", 1)]
)
def test_the_first_signature_that_has_the_argument_is_active(edit: Opener, marked: str, parameters: int) -> None:
    overloads = "".join(
        f"float f({', '.join(f'float p{n}' for n in range(count))}) {{ return 1; }}\n" for count in (1, 2, 3)
    )
    editor = edit({"free.hlsl": f"{overloads}float main() : SV_Target {{ return {marked.replace('|', '')}; }}\n"})
    editor.open("free.hlsl")
    answer = signatures(editor, "free.hlsl", marked)
    assert answer is not None and len(answer.signatures) == 3
    assert len(answer.signatures[answer.active_signature or 0].parameters or ()) == parameters
