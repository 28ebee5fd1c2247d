"""The extension for VS Code and the documentation list the attributes of launch configurations."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from hlsl_tool.apps.debug.execution.launch import ATTRIBUTES, launch_of

ROOT = Path(__file__).parents[2]
MANIFEST = json.loads((ROOT / "editors/vscode/package.json").read_text())
(DEBUGGER,) = MANIFEST["contributes"]["debuggers"]


def test_the_extension_lists_the_attributes() -> None:
    assert set(DEBUGGER["configurationAttributes"]["launch"]["properties"]) == ATTRIBUTES


def test_the_extension_registers_the_debugger() -> None:
    source = (ROOT / "editors/vscode/extension.js").read_text()
    assert set(re.findall(r'vscode\.debug\.register\w+\(\s*"([^"]+)"', source)) == {DEBUGGER["type"]}
    assert f"onDebugResolve:{DEBUGGER['type']}" in MANIFEST["activationEvents"]


def test_configurations_of_the_extension_are_correct(tmp_path: Path) -> None:
    shader = tmp_path / "shader.hlsl"
    shader.write_text("")
    snippets = [snippet["body"] for snippet in DEBUGGER["configurationSnippets"]]
    for configuration in (*DEBUGGER["initialConfigurations"], *snippets):
        given: dict[str, Any] = {**configuration, "program": str(shader)}
        assert launch_of(given).program == str(shader)
