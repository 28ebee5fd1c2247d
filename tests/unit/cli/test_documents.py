"""Commands in the documentation print the output that is shown below them; ``pytest --update-golden`` updates it.

A code block that starts with ``$ hlsl_tool …`` is a command, run in the repository's root, and its output.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from hlsl_tool.cli.__main__ import run

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = (
    "reference/layouts.md",
    "how-to/matrices.md",
)
_BLOCK = re.compile(r"^```console\n\$ hlsl_tool ([^\n]*)\n(.*?)^```\n", re.M | re.S)


def printed(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    run(command.replace("/dev/null", os.devnull).split())
    captured = capsys.readouterr()
    return captured.out + captured.err


@pytest.mark.parametrize("name", DOCUMENTS)
def test_commands(
    name: str, update_golden: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    path = ROOT / "docs" / name
    text = path.read_text()
    blocks = list(_BLOCK.finditer(text))
    assert blocks
    if update_golden:

        def written(block: re.Match[str]) -> str:
            return f"```console\n$ hlsl_tool {block[1]}\n{printed(block[1], capsys)}```\n"

        path.write_text(_BLOCK.sub(written, text))
        pytest.skip("written")
    for block in blocks:
        assert printed(block[1], capsys) == block[2]


def test_the_picture(
    update_golden: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    picture = ROOT / "docs" / "images" / "layouts.svg"
    made = picture if update_golden else tmp_path / "made.svg"
    assert run(["layout", "show", "docs/examples/camera.hlsl", "-T", "ps_6_0", "Camera", "--svg", str(made)]) == 0
    assert made.read_bytes() == picture.read_bytes()
