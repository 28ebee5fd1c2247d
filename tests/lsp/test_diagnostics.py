"""Diagnostics that the language server sends for unsaved shaders, headers and files without a configuration."""

from __future__ import annotations

from lsprotocol import types as lsp

from tests.lsp.conftest import FILES, Opener
from tests.lsp.editor import messages

MAIN, COMMON = "shaders/main.hlsl", "shaders/include/common.hlsli"


def test_a_shader_without_errors_has_none(edit: Opener) -> None:
    editor = edit()
    editor.open(MAIN)
    assert editor.diagnostics(MAIN) == []


def test_an_unsaved_error_is_reported_and_goes_away(edit: Opener) -> None:
    editor = edit()
    editor.open(MAIN)
    editor.change(MAIN, "shade(sun, n)", "shadow(sun, n)")
    (error,) = editor.diagnostics(MAIN)
    assert error.severity is lsp.DiagnosticSeverity.Error
    assert error.code is not None
    assert error.range.start == editor.at(MAIN, "|shadow(sun")
    assert error.range.end == editor.at(MAIN, "shadow|(sun")
    editor.change(MAIN, "shadow(sun, n)", "shade(sun, n)")
    assert editor.diagnostics(MAIN) == []


def test_a_header_is_checked_under_the_shader_that_includes_it(edit: Opener) -> None:
    editor = edit()
    editor.open(COMMON)
    assert editor.diagnostics(COMMON) == []
    editor.change(COMMON, "light.color *", "light.colour *")
    (error,) = editor.diagnostics(COMMON)
    assert messages([error]) == [(11, "no member named 'colour' in 'Light'")]


def test_an_unsaved_header_counts_for_the_shaders_that_include_it(edit: Opener) -> None:
    editor = edit()
    editor.open(MAIN)
    editor.open(COMMON)
    assert editor.diagnostics(MAIN) == []
    editor.change(COMMON, "float3 shade(", "float3 shading(")
    assert [line for line, _ in messages(editor.wait_for(MAIN, len))] == [20]


def test_other_permutations_are_checked_too(edit: Opener) -> None:
    editor = edit()
    editor.open(MAIN)
    editor.change(MAIN, "#ifdef FOG", "#if QUALITY == 1")
    (error,) = editor.wait_for(MAIN, len)
    assert "fogged" in error.message
    assert "(in shaders/main.hlsl: main ps_6_0 QUALITY=1)" in error.message


def test_a_file_without_a_configuration_is_a_library(edit: Opener) -> None:
    text = "float f() { return 1; }\nfloat4 g() : SV_Target { return h(); }\n"
    editor = edit({"free.hlsl": text})
    editor.open("free.hlsl")
    assert [line for line, _ in messages(editor.diagnostics("free.hlsl"))] == [2]


def test_a_comment_gives_the_options_of_a_file(edit: Opener) -> None:
    text = "// hlsl_tool: -T vs_6_0 -E vertex -D VALUE=other\nfloat4 vertex() : SV_Position { return VALUE; }\n"
    editor = edit({"free.hlsl": text})
    editor.open("free.hlsl")
    ((line, message),) = messages(editor.diagnostics("free.hlsl"))
    assert line == 2 and "other" in message


def test_a_missing_include_is_reported_where_it_is_written(edit: Opener) -> None:
    files = FILES | {MAIN: FILES[MAIN].replace("include/common.hlsli", "include/other.hlsli")}
    editor = edit(files)
    editor.open(MAIN)
    ((line, message),) = messages(editor.diagnostics(MAIN))
    assert line == 1 and "include/other.hlsli" in message


def test_closing_a_document_takes_its_diagnostics_back(edit: Opener) -> None:
    editor = edit()
    editor.open(MAIN, FILES[MAIN].replace("shade(sun", "shadow(sun"))
    assert len(editor.diagnostics(MAIN)) == 1
    editor.shut(MAIN)
    assert editor.wait_for(MAIN, lambda items: not items) == []


def test_columns_are_utf16_units(edit: Opener) -> None:
    text = "float f() { /* 🎨 ß */ return nothing; }\n"
    editor = edit({"free.hlsl": text})
    editor.open("free.hlsl")
    (error,) = editor.diagnostics("free.hlsl")
    assert error.range.start == editor.at("free.hlsl", "|nothing")


def test_errors_of_the_lowering_appear_when_nothing_is_typed(edit: Opener) -> None:
    text = "// hlsl_tool: -T ps_6_0\n[[vk::binding(3)]] float4 k;\nfloat4 main() : SV_Target { return k; }\n"
    editor = edit({"free.hlsl": text})
    editor.open("free.hlsl")
    assert [line for line, _ in messages(editor.wait_for("free.hlsl", len))] == [2]


def test_a_header_open_beside_its_shader_has_each_error_once(edit: Opener) -> None:
    editor = edit()
    editor.open(MAIN)
    editor.open(COMMON)
    assert editor.diagnostics(COMMON) == []
    editor.change(COMMON, "return light.color *", "return light.colour *")
    assert len(editor.diagnostics(COMMON)) == 1
    editor.change(COMMON, "return light", "return  light")
    assert len(editor.diagnostics(COMMON)) == 1
    assert all(len(params.diagnostics) < 2 for params in editor.published)


def test_a_header_without_a_configuration_uses_the_open_shader(edit: Opener) -> None:
    shader = '// hlsl_tool: -T ps_6_0\n#define SCALE 2\n#include "b.hlsli"\nfloat4 main() : SV_Target { return f(); }\n'
    editor = edit({"a.hlsl": shader, "b.hlsli": "float f() { return SCALE; }\n"})
    editor.open("a.hlsl")
    assert editor.diagnostics("a.hlsl") == []
    editor.open("b.hlsli")
    assert editor.diagnostics("b.hlsli") == []


def test_other_shaders_that_include_a_header_are_checked_too(edit: Opener) -> None:
    configuration = FILES["config/shaders/all.yaml"] + "  - { source: other.hlsl, profile: ps_6_0 }\n"
    other = '#include "include/common.hlsli"\nfloat4 main() : SV_Target { Light l = (Light)0; return l.range; }\n'
    editor = edit(FILES | {"shaders/other.hlsl": other, "config/shaders/all.yaml": configuration})
    editor.open(COMMON)
    assert editor.diagnostics(COMMON) == []
    editor.change(COMMON, "float range;", "float reach;")
    (error,) = editor.wait_for("shaders/other.hlsl", len)
    assert "range" in error.message and "(in shaders/other.hlsl: main ps_6_0)" in error.message


def test_invalid_options_of_a_file_are_reported_at_the_comment(edit: Opener) -> None:
    editor = edit({"free.hlsl": "float x;\n// hlsl_tool: -T nonsense -no-such-option\nfloat f() { return x; }\n"})
    editor.open("free.hlsl")
    ((line, message),) = messages(editor.diagnostics("free.hlsl"))
    assert line == 2 and "-no-such-option" in message
    editor.change("free.hlsl", "-no-such-option", "'")
    ((line, message),) = messages(editor.diagnostics("free.hlsl"))
    assert line == 2 and "No closing quotation" in message
    editor.change("free.hlsl", "-T nonsense '", "-T ps_9_9 -E f")
    assert editor.diagnostics("free.hlsl") != []


def test_hints_name_the_key_of_the_configuration(edit: Opener) -> None:
    editor = edit()
    editor.open(MAIN)
    editor.change(MAIN, "shade(sun, n)", "(float16_t)1 * shade(sun, n)")
    (error,) = editor.diagnostics(MAIN)
    assert "hint: compile with `enable_16bit_types: true`" in error.message
