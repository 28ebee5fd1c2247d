"""Rules for every subcommand of `hlsl_tool`: help, unknown options, bugs without a traceback, full outputs."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from hlsl_tool.cli.__main__ import VERBS, run


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_prints_help(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = run([verb, "--help"])
    except SystemExit as end:  # argparse's way
        status = int(end.code or 0)
    told = capsys.readouterr()
    assert (status, told.err) == (0, "")
    assert len(told.out.splitlines()) > 3


@pytest.mark.parametrize("verb", ["watch", "stats", "report", "store", "build", "why"])
def test_options_that_are_not_there(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        run([verb, "x", "--nonsense"])
    assert end.value.code == 2
    assert "usage:" in capsys.readouterr().err


@pytest.mark.parametrize("minutes", ["x", "", "0", "-1", "nan", "inf"])
def test_idle_minutes_of_a_server_are_positive(minutes: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        run(["server", "status", f"--idle={minutes}"])
    assert end.value.code == 2
    assert f"`{minutes}` is no number above 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("verb", "function"),
    [
        ("compile", "hlsl_tool.cli.dxc.execute"),
        ("layout", "hlsl_tool.cli.layout.run_layout"),
        ("glslc", "hlsl_tool.cli.compatible.glslc.run"),
        ("glslang", "hlsl_tool.cli.compatible.glslang.run"),
        ("schema", "hlsl_tool.cli.schema.run"),
        ("cmake-dir", "hlsl_tool.cli.exchange.cmake_dir.run"),
    ],
)
def test_a_bug_shows_no_traceback(
    verb: str, function: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*arguments: object, **options: object) -> None:
        raise LookupError("a bug of ours")

    monkeypatch.setattr(function, fails)
    assert run([verb]) == 3
    output = capsys.readouterr().err.splitlines()
    assert "internal compiler error: LookupError: a bug of ours (test_verbs.py:" in output[0]
    assert "please report it" in output[1]
    assert len(output) == 2


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
@pytest.mark.parametrize("words", [["cmake-dir"], ["compile", "--help"]])
def test_a_full_standard_output_is_an_error(words: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "hlsl_tool", *words]
        ended = subprocess.run(command, check=False, stdout=full, stderr=subprocess.PIPE, text=True)
    assert ended.stderr.startswith("hlsl_tool: error: ")
    assert ended.stderr.endswith("No space left on device\n")
    assert len(ended.stderr.splitlines()) == 1
    assert ended.returncode == 1
