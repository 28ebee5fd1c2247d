"""Diagnostics, hover and completion of the language server in YAML configurations."""

from __future__ import annotations

from lsprotocol import types as lsp

from tests.lsp.conftest import FILES, Opener
from tests.lsp.editor import messages

YAML, DEFAULTS, MAIN = "config/shaders/all.yaml", "config/defaults.yaml", "shaders/main.hlsl"
LEVELS = FILES | {DEFAULTS: "target_env: vulkan1.2\noptimize: none\n"}


def test_an_unsaved_error_of_the_schema(edit: Opener) -> None:
    editor = edit()
    editor.open(YAML)
    assert editor.diagnostics(YAML) == []
    editor.change(YAML, "profile:", "profil:")
    shown = messages(editor.wait_for(YAML, len))
    assert (3, "unknown key `profil` in a shader") in shown


def test_a_change_of_the_configuration_counts_for_open_shaders(edit: Opener) -> None:
    editor = edit()
    editor.open(MAIN)
    editor.open(YAML)
    assert editor.diagnostics(MAIN) == []
    editor.change(YAML, "QUALITY: [0, 1]", "QUALITY: [0, 1], FOG: 1")
    (error,) = editor.wait_for(MAIN, len)
    assert "fogged" in error.message


def test_hover_shows_the_effective_value_and_its_origin(edit: Opener) -> None:
    editor = edit(LEVELS)
    editor.open(YAML)
    assert "`profile: ps_6_0` from config/shaders/all.yaml:3" in editor.hover(YAML, "pro|file: ps_6_0")
    editor.change(YAML, "    profile: ps_6_0\n", "    profile: ps_6_0\n    optimize: size\n")
    shown = editor.hover(YAML, "opti|mize")
    assert "`optimize: size` from config/shaders/all.yaml:4" in shown
    editor.open(DEFAULTS)
    shown = editor.hover(DEFAULTS, "target|_env")
    assert "`target_env: vulkan1.2` from config/defaults.yaml:1" in shown
    assert "values: `vulkan1.0`" in shown


def test_completion_of_keys_and_values(edit: Opener) -> None:
    editor = edit(LEVELS)
    editor.open(YAML)
    editor.change(YAML, "    profile: ps_6_0\n", "    profile: ps_6_0\n    \n    target_env: \n")

    def labels(marked: str) -> set[str]:
        answer = editor.request("completion", YAML, marked, lsp.CompletionParams)
        return {item.label for item in answer or ()}

    inside = labels("ps_6_0\n    |\n")
    assert {"entries", "defines", "target_env", "optimize"} <= inside
    assert "shaders" not in inside
    assert {"vulkan1.1", "vulkan1.3"} <= labels("target_env: |\n")
    assert {"shaders", "source_dir"} <= labels("|shaders:")


def test_a_file_that_is_no_yaml(edit: Opener) -> None:
    editor = edit()
    editor.open(YAML)
    editor.change(YAML, "shaders:", "shaders: [")
    assert editor.wait_for(YAML, len)
    assert editor.hover(YAML, "pro|file") != ""
