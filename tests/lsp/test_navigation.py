"""Requests for definitions, references, highlights and outlines find the right places."""

from __future__ import annotations

import pytest
from lsprotocol import types as lsp

from tests.lsp.conftest import FILES, Opener
from tests.lsp.editor import Editor

MAIN, COMMON = "shaders/main.hlsl", "shaders/include/common.hlsli"
OTHER = '#include "include/common.hlsli"\nfloat4 main() : SV_Target { Light l = (Light)0; return shade(l, 1).xyzz; }\n'


def places(editor: Editor, locations: list[lsp.Location] | None) -> list[tuple[str, int, int]]:
    """Return (file name, 1-based line, 0-based column) of locations."""
    return [
        (location.uri.rpartition("/")[2], location.range.start.line + 1, location.range.start.character)
        for location in locations or ()
    ]


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("lerp(lit, te|xel.rgb", ("main.hlsl", 19, 11)),
        ("sha|de(sun", ("common.hlsli", 9, 7)),
        ("shade(su|n", ("main.hlsl", 8, 10)),
        ("    Li|ght sun", ("common.hlsli", 2, 7)),
        ("lit += TW|ICE", ("main.hlsl", 13, 8)),
        ("TWICE(te|xel", ("main.hlsl", 19, 11)),
        ("i < COU|NT", ("main.hlsl", 14, 17)),
        ('#include "include/com|mon', ("common.hlsli", 1, 0)),
        ("albedo.Sample(linear|Wrap", ("main.hlsl", 11, 13)),
    ],
)
def test_definition(editor: Editor, marked: str, expected: tuple[str, int, int]) -> None:
    answer = editor.request("definition", MAIN, marked, lsp.DefinitionParams)
    assert places(editor, answer) == [expected]


def test_an_intrinsic_has_no_definition(editor: Editor) -> None:
    assert not editor.request("definition", MAIN, "le|rp(lit", lsp.DefinitionParams)


def test_the_definition_of_a_member_is_in_its_struct(editor: Editor) -> None:
    answer = editor.request("definition", COMMON, "light.col|or *", lsp.DefinitionParams)
    assert places(editor, answer) == [("common.hlsli", 6, 11)]


def test_a_declaration_leads_to_the_body(edit: Opener) -> None:
    editor = edit({"free.hlsl": "float f(float x);\nfloat g() { return f(1); }\nfloat f(float x) { return x; }\n"})
    editor.open("free.hlsl")
    answer = editor.request("definition", "free.hlsl", "return f|(1)", lsp.DefinitionParams)
    assert places(editor, answer) == [("free.hlsl", 3, 6)]


def test_references_across_shaders(edit: Opener) -> None:
    configuration = FILES["config/shaders/all.yaml"] + "  - { source: other.hlsl, profile: ps_6_0 }\n"
    editor = edit(FILES | {"shaders/other.hlsl": OTHER, "config/shaders/all.yaml": configuration})
    editor.open(COMMON)
    context = lsp.ReferenceContext(include_declaration=True)
    answer = editor.request("references", COMMON, "float3 sha|de(", lsp.ReferenceParams, context=context)
    assert sorted(places(editor, answer)) == [("common.hlsli", 9, 7), ("main.hlsl", 20, 17), ("other.hlsl", 2, 55)]
    context = lsp.ReferenceContext(include_declaration=False)
    answer = editor.request("references", COMMON, "float3 pos|ition", lsp.ReferenceParams, context=context)
    assert places(editor, answer) == [("common.hlsli", 11, 54)]


def test_references_of_a_local_in_a_macro_argument(editor: Editor) -> None:
    context = lsp.ReferenceContext(include_declaration=True)
    answer = editor.request("references", MAIN, "float4 te|xel =", lsp.ReferenceParams, context=context)
    assert [line for _, line, _ in places(editor, answer)] == [19, 22, 26]


def test_highlights(editor: Editor) -> None:
    answer = editor.request("document_highlight", MAIN, "float3 l|it =", lsp.DocumentHighlightParams)
    assert [item.range.start.line + 1 for item in answer] == [20, 22, 26]


def test_references_in_a_template_without_instances(edit: Opener) -> None:
    text = "template<typename T> T f(T value) { T copy = value; return copy + value; }\n"
    editor = edit({"free.hlsl": text})
    editor.open("free.hlsl")
    context = lsp.ReferenceContext(include_declaration=False)
    answer = editor.request("references", "free.hlsl", "T |value)", lsp.ReferenceParams, context=context)
    assert len(answer) == 2


def test_a_call_leads_to_its_own_overload(edit: Opener) -> None:
    text = (
        "float f(float x) { return x; }\nfloat f(int2 x) { return x.x; }\nfloat g(int2 i) { return f(i) + f(1.0); }\n"
    )
    editor = edit({"free.hlsl": text})
    editor.open("free.hlsl")
    answer = editor.request("definition", "free.hlsl", "return f|(i)", lsp.DefinitionParams)
    assert places(editor, answer) == [("free.hlsl", 2, 6)]
    answer = editor.request("definition", "free.hlsl", "+ f|(1.0)", lsp.DefinitionParams)
    assert places(editor, answer) == [("free.hlsl", 1, 6)]


def outline(symbols: list[lsp.DocumentSymbol] | None) -> list[object]:
    """Return the names of symbols, with those of their members."""
    return [(s.name, outline(s.children)) if s.children else s.name for s in symbols or ()]


def test_symbols(editor: Editor) -> None:
    params = lsp.DocumentSymbolParams(editor.document(MAIN))
    answer = editor.run(editor.client.text_document_document_symbol_async(params))
    assert outline(answer) == [
        ("Frame", ["view", "eye", "jitter", "sun"]),
        "albedo",
        "linearWrap",
        "COUNT",
        ("Mode", ["PLAIN", "FANCY"]),
        "main",
    ]
    main = answer[-1]
    assert main.detail == "float4 main(float2 uv : TEXCOORD0, float3 n : NORMAL) : SV_Target"
    assert (main.range.start.line + 1, main.range.end.line + 1) == (17, 27)
    assert main.selection_range.start == editor.at(MAIN, "float4 |main")


def test_symbols_of_a_file_with_syntax_errors(edit: Opener) -> None:
    text = "struct S { float a; };\nfloat f( { return 1; }\nvoid g() { int x = ; }\ncbuffer C { float k; };\n"
    editor = edit({"free.hlsl": text})
    editor.open("free.hlsl")
    params = lsp.DocumentSymbolParams(editor.document("free.hlsl"))
    names = outline(editor.run(editor.client.text_document_document_symbol_async(params)))
    assert ("S", ["a"]) in names and "g" in names and ("C", ["k"]) in names
