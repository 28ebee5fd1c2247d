"""Standard streams that are closed, folders that are gone, and interrupts."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SHADER = "float4 main() : SV_Target { float narrow = float2(1, 2); return narrow; }"
CONFIGURATION = "shaders: [{ source: x.hlsl, entries: [{ entry: main, profile: ps_6_0 }] }]"


@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes them")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(
    ("command", "output"),
    [
        (("-m", "hlsl_tool.cli.dxc", "-T", "ps_6_0", "shaders/x.hlsl", "-Fo", "x.spv"), "x.spv"),
        (("-m", "hlsl_tool", "build"), "build/shaders/x.main.spv"),
    ],
)
def test_closed_standard_streams_end_no_command(
    tmp_path: pathlib.Path, command: tuple[str, ...], output: str, closed: str
) -> None:
    for name, text in (("shaders/x.hlsl", SHADER), ("config/shaders/x.yaml", CONFIGURATION)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    run = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, *command],
        cwd=tmp_path,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0
    assert "Traceback" not in run.stderr
    assert (tmp_path / output).read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be removed")
@pytest.mark.parametrize(
    "words",
    [
        ("hlsl_tool", "build"),
        ("hlsl_tool", "glslc", "a.hlsl"),
        ("hlsl_tool.cli.dxc", "-T", "ps_6_0", "a.hlsl"),
        ("hlsl_tool.hlsl2spirv", "-T", "ps_6_0", "a.hlsl"),
    ],
)
def test_a_current_folder_that_was_removed(tmp_path: pathlib.Path, words: tuple[str, ...]) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    run = subprocess.run(
        ["sh", "-c", 'rmdir "$PWD"; exec "$@"', "sh", sys.executable, "-m", *words],
        cwd=folder,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HLSL_TOOL_SERVER": "no"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1
    assert run.stderr.endswith(": error: the current folder was removed\n")
    assert "Traceback" not in run.stderr


INTERRUPT = """\
import sys
class Finder:
    def find_spec(self, name, *arguments):
        if name == {when!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
from hlsl_tool.{program} import main
sys.argv[1:] = ["compile"] * ({program!r} == "__main__") + ["-T", "ps_6_0", "a.hlsl"]
main()
"""
"""A program that is interrupted when it imports a module."""


@pytest.mark.parametrize(
    ("program", "when"),
    [
        ("hlsl2spirv", "hlsl_tool.apps.server.client"),
        ("hlsl2spirv", "hlsl_tool.apps.server.protocol"),
        ("hlsl2spirv", "hlsl_tool.cli.dxc"),
        ("hlsl2spirv", "hlsl_tool.compiler.compile"),
        ("__main__", "hlsl_tool.cli.__main__"),
        ("__main__", "hlsl_tool.cli.compile"),
        ("__main__", "hlsl_tool.compiler.compile"),
    ],
)
def test_an_interrupt_while_modules_are_imported(tmp_path: pathlib.Path, program: str, when: str) -> None:
    (tmp_path / "a.hlsl").write_text(SHADER)
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPT.format(program=program, when=when)],
        cwd=tmp_path,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HLSL_TOOL_SERVER": "no"},
        capture_output=True,
        text=True,
    )
    name = "hlsl2spirv" if program == "hlsl2spirv" else "hlsl_tool"
    assert (run.returncode, run.stdout, run.stderr) == (130, "", f"{name}: interrupted\n")
