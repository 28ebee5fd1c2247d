"""Inlay hints, code actions, and the selection of the permutation."""

from __future__ import annotations

from lsprotocol import types as lsp

from tests.lsp.conftest import Opener
from tests.lsp.editor import Editor

MAIN, COMMON = "shaders/main.hlsl", "shaders/include/common.hlsli"


def hints(editor: Editor, name: str) -> dict[int, str]:
    """Return 1-based line → label of the inlay hints."""
    lines = editor.texts[name].count("\n")
    everything = lsp.Range(lsp.Position(0, 0), lsp.Position(lines, 0))
    params = lsp.InlayHintParams(editor.document(name), everything)
    answer = editor.run(editor.client.text_document_inlay_hint_async(params))
    return {hint.position.line + 1: hint.label for hint in answer or ()}


def test_inlay_hints(editor: Editor) -> None:
    assert hints(editor, MAIN) == {5: "@0", 6: "@64", 7: "@80", 8: "@96"}
    assert hints(editor, COMMON) == {4: "@0", 5: "@12", 6: "@16"}


def test_inlay_hints_of_both_kinds_of_buffers(edit: Opener) -> None:
    text = "struct S { float a;\nfloat b[2]; };\nConstantBuffer<S> c;\nStructuredBuffer<S> s;\n"
    editor = edit({"free.hlsl": text})
    editor.open("free.hlsl")
    assert hints(editor, "free.hlsl") == {1: "@0", 2: "@16 | 4"}


def test_a_fix_it_is_a_code_action(edit: Opener) -> None:
    editor = edit()
    editor.open(COMMON)
    editor.change(COMMON, "light.color *", "light.colr *")
    (error,) = editor.diagnostics(COMMON)
    params = lsp.CodeActionParams(editor.document(COMMON), error.range, lsp.CodeActionContext([error]))
    (action,) = editor.run(editor.client.text_document_code_action_async(params))
    assert action.title == "replace with `color`"
    ((uri, (change,)),) = action.edit.changes.items()
    assert uri == editor.uri(COMMON)
    assert change.new_text == "color"
    assert (change.range.start, change.range.end) == (editor.at(COMMON, "light.|colr"), editor.at(COMMON, "colr| *"))


def test_a_fix_it_that_does_not_help_is_no_code_action(edit: Opener) -> None:
    text = "float4x4 transform; float4 f(float4 c) { return mul(%s, c%s); }\n"
    for name, more, count in (("transfrom", "", 1), ("transfrom", ", c", 0)):
        editor = edit({"free.hlsl": text % (name, more)})
        editor.open("free.hlsl")
        (error,) = editor.diagnostics("free.hlsl")
        assert "did you mean 'transform'?" in error.message
        params = lsp.CodeActionParams(editor.document("free.hlsl"), error.range, lsp.CodeActionContext([error]))
        actions = editor.run(editor.client.text_document_code_action_async(params)) or []
        assert len(actions) == count


def test_a_fix_it_of_a_semantic_is_a_code_action(edit: Opener) -> None:
    text = "// hlsl_tool: -T ps_6_0 -E main\nfloat4 main(float4 p : SV_Positon) : SV_Target { return p; }\n"
    editor = edit({"free.hlsl": text})
    editor.open("free.hlsl")
    (error,) = editor.wait_for("free.hlsl", len)
    params = lsp.CodeActionParams(editor.document("free.hlsl"), error.range, lsp.CodeActionContext([error]))
    (action,) = editor.run(editor.client.text_document_code_action_async(params))
    assert action.title == "replace with `SV_Position`"


def command(editor: Editor, name: str, *arguments: object) -> object:
    """Run a command of the server."""
    params = lsp.ExecuteCommandParams(name, arguments=list(arguments))
    return editor.run(editor.client.workspace_execute_command_async(params))


def test_the_active_permutation(edit: Opener) -> None:
    editor = edit(allPermutations=False)
    editor.open(MAIN)
    editor.change(MAIN, "#ifdef FOG", "#if QUALITY == 1")
    assert editor.diagnostics(MAIN) == []
    lens = editor.run(editor.client.text_document_code_lens_async(lsp.CodeLensParams(editor.document(MAIN))))
    assert [item.command.title for item in lens] == ["main ps_6_0 QUALITY=0 (1 of 2)"]
    uri = editor.uri(MAIN)
    listed = command(editor, "hlsl_tool.listPermutations", uri)
    assert [(item["label"], item["active"]) for item in listed] == [
        ("main ps_6_0 QUALITY=0", True),
        ("main ps_6_0 QUALITY=1", False),
    ]
    assert command(editor, "hlsl_tool.selectPermutation", uri, listed[1]["name"]) is True
    (error,) = editor.wait_for(MAIN, len)
    assert "fogged" in error.message
    assert command(editor, "hlsl_tool.nextPermutation", uri) == "main ps_6_0 QUALITY=0"
    assert editor.wait_for(MAIN, lambda items: not items) == []
    assert command(editor, "hlsl_tool.selectPermutation", uri, "no such name") is False
