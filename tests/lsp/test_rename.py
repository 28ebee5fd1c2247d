"""Renaming, and renames that must be refused."""

from __future__ import annotations

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from tests.lsp.conftest import FILES, Opener
from tests.lsp.editor import Editor
from tests.lsp.test_navigation import OTHER

MAIN, COMMON = "shaders/main.hlsl", "shaders/include/common.hlsli"


def rename(editor: Editor, name: str, marked: str, new: str) -> dict[str, list[int]]:
    """Return file name → 1-based lines of the edits."""
    edit = editor.request("rename", name, marked, lsp.RenameParams, new_name=new)
    changes = {uri.rpartition("/")[2]: edits for uri, edits in edit.changes.items()}
    assert all(e.new_text == new for edits in changes.values() for e in edits)
    return {file: [e.range.start.line + 1 for e in edits] for file, edits in changes.items()}


def refusal(editor: Editor, name: str, marked: str, new: str = "other") -> str:
    """Return the error message of a refused rename."""
    with pytest.raises(JsonRpcException) as caught:
        rename(editor, name, marked, new)
    return str(caught.value)


def test_a_local(editor: Editor) -> None:
    assert refusal(editor, MAIN, "float3 l|it =", "lamp").endswith("main.hlsl:24")  # `#ifdef FOG` hides a use
    assert rename(editor, MAIN, "float4 te|xel =", "color4") == {"main.hlsl": [19, 22, 26]}


def test_a_parameter(editor: Editor) -> None:
    assert rename(editor, COMMON, "Light li|ght", "lamp") == {"common.hlsli": [9, 11, 11]}


def test_a_function_in_all_shaders(edit: Opener) -> None:
    configuration = FILES["config/shaders/all.yaml"] + "  - { source: other.hlsl, profile: ps_6_0 }\n"
    editor = edit(FILES | {"shaders/other.hlsl": OTHER, "config/shaders/all.yaml": configuration})
    editor.open(MAIN)
    edits = rename(editor, MAIN, "sha|de(sun", "illuminate")
    assert edits == {"common.hlsli": [9], "main.hlsl": [20], "other.hlsl": [2]}


@pytest.mark.parametrize(
    ("marked", "new", "reason"),
    [
        ("lit += TW|ICE", "other", "is a macro"),
        ("float4 te|xel =", "float", "has a meaning in HLSL"),
        ("float4 te|xel =", "lerp", "has a meaning in HLSL"),
        ("float4 te|xel =", "uv", "is used already"),
        ("float4 te|xel =", "TWICE", "is a macro"),
        ("float4 te|xel =", "a b", "is no name"),
        ("float4 ma|in(", "other", "is an entry point"),
        ("= albe|do.S", "other", "interface"),
        ("float3 ey|e;", "other", "is a member"),
        ("le|rp(lit", "other", "declared nowhere"),
        ("lit *= fog|ged", "other", "leaves out"),
    ],
)
def test_refusals(editor: Editor, marked: str, new: str, reason: str) -> None:
    assert reason in refusal(editor, MAIN, marked, new)


def test_a_name_in_a_macro_is_refused(edit: Opener) -> None:
    text = "#define ADD(x) ((x) + helper(1))\nfloat helper(float v) { return v; }\nfloat f() { return ADD(2); }\n"
    editor = edit({"free.hlsl": text})
    editor.open("free.hlsl")
    assert "a macro names `helper`" in refusal(editor, "free.hlsl", "float |helper")


def test_prepare_rename(editor: Editor) -> None:
    answer = editor.request("prepare_rename", MAIN, "float4 te|xel =", lsp.PrepareRenameParams)
    assert (answer.start, answer.end) == (editor.at(MAIN, "float4 |texel ="), editor.at(MAIN, "float4 texel| ="))
    with pytest.raises(JsonRpcException, match="is a macro"):
        editor.request("prepare_rename", MAIN, "lit += TW|ICE", lsp.PrepareRenameParams)


def test_overloads_are_renamed_together(edit: Opener) -> None:
    text = "float f(float x) { return x; }\nfloat f(int2 x) { return x.x; }\nfloat g(int2 i) { return f(i); }\n"
    editor = edit({"free.hlsl": text})
    editor.open("free.hlsl")
    assert rename(editor, "free.hlsl", "float |f(int2", "first") == {"free.hlsl": [1, 2, 3]}


def test_methods(edit: Opener) -> None:
    text = "interface I { float f(); };\nstruct A : I { float f() { return 1; } };\n"
    text += "struct B { float f(); };\nfloat B::f() { return 2; }\nfloat g(B b) { return b.f(); }\n"
    editor = edit({"free.hlsl": text})
    editor.open("free.hlsl")
    assert "base classes" in refusal(editor, "free.hlsl", "struct A : I { float |f")
    assert "base classes" in refusal(editor, "free.hlsl", "interface I { float |f")
    assert rename(editor, "free.hlsl", "b.|f()", "first") == {"free.hlsl": [3, 4, 5]}
