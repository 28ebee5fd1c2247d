"""The extension for VS Code lists the commands, settings and file types that the language server supports."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hlsl_tool.apps.lsp.features import permutations
from hlsl_tool.apps.lsp.session import Settings, settings_of

FOLDER = Path(__file__).parents[2] / "editors" / "vscode"
MANIFEST = json.loads((FOLDER / "package.json").read_text())
SOURCE = (FOLDER / "extension.js").read_text()


def test_commands() -> None:
    declared = {command["command"] for command in MANIFEST["contributes"]["commands"]}
    registered = set(re.findall(r'registerCommand\("([^"]+)"', SOURCE))
    assert declared == registered
    assert permutations.CHOOSE in declared
    assert {permutations.LIST, permutations.SELECT} <= set(re.findall(r'executeCommand\("([^"]+)"', SOURCE))


def test_settings() -> None:
    properties = MANIFEST["contributes"]["configuration"]["properties"]
    read = set(re.findall(r'settings\.get\("([^"]+)"\)', SOURCE))
    assert {f"hlslTool.{name}" for name in read} == set(properties)
    sent = {"root": "sub", "configs": ["a"], "arguments": ["-T"], "allPermutations": False, "permutationMenu": True}
    assert set(re.findall(r"^    (\w+): (?:settings|true)", SOURCE, re.M)) == set(sent)
    assert settings_of(sent) == Settings("sub", ("a",), ("-T",), has_menu=True, all_permutations=False)
    assert settings_of({"root": 5, "configs": "a", "arguments": [1]}) == Settings()
    assert settings_of(None) == Settings()


def test_files() -> None:
    for name in ("language-configuration.json", "README.md", MANIFEST["main"]):
        assert (FOLDER / name).is_file()
    json.loads((FOLDER / "language-configuration.json").read_text())


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_the_source_parses() -> None:
    subprocess.run(["node", "--check", FOLDER / "extension.js"], check=True)
