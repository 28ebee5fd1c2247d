"""Rules for every subcommand of `hlsl_tool`: help, unknown options, bugs without a traceback, full outputs."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from hlsl_tool.cli.__main__ import RENAMED, VERBS, run


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_prints_help(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = run([*verb.split(), "--help"])
    except SystemExit as end:  # argparse's way
        status = int(end.code or 0)
    told = capsys.readouterr()
    assert (status, told.err) == (0, "")
    assert len(told.out.splitlines()) > 3


@pytest.mark.parametrize("verb", ["watch", "report times", "report", "store stats", "build", "why x"])
def test_options_that_are_not_there(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        run([*verb.split(), "--nonsense"])
    assert end.value.code == 2
    assert capsys.readouterr().err == (
        "hlsl_tool: error: unknown argument `--nonsense`; see `hlsl_tool"
        f" {verb.removesuffix(' stats').removesuffix(' x')} --help`\n"
    )


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["biuld"], "no verb is called `biuld`; did you mean `build`?"),
        (["xyz"], "no verb is called `xyz`; `hlsl_tool --help` lists the verbs"),
        (["--versoin"], "`--versoin` is no option; `hlsl_tool --help` lists the verbs"),
        (["build", "--diagnotics", "json"], "unknown argument `--diagnotics`; did you mean `--diagnostics`?"),
        (["build", "--color", "alway"], "argument --color: `alway` is none of auto, always, never;"
         " did you mean `always`?; see `hlsl_tool build --help`"),
        (["build", "-j", "0"], "argument -j/--jobs: `0` is no number above 0; see `hlsl_tool build --help`"),
        (["generate", "nijna"], "argument KIND: `nijna` is none of ninja, make, cmake, meson, compile-commands;"
         " did you mean `ninja`?; see `hlsl_tool generate --help`"),
    ],
)  # fmt: skip
def test_a_wrong_command_line_is_one_line(words: list[str], problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = run(words)
    except SystemExit as end:
        status = int(end.code or 0)
    assert (status, capsys.readouterr()) == (2, ("", f"hlsl_tool: error: {problem}\n"))


def test_the_verbs_are_listed_in_groups(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.endswith(":") and not line.startswith(" ")] == [
        "daily:", "look into:", "other tools:",
    ]  # fmt: skip
    listed = [line[2:].split("  ")[0] for line in lines if line.startswith("  ") and line[2] != " "]
    assert listed == [verb for verb in VERBS if verb not in ("glslc", "glslang")]
    assert not {"stats", "bindings", "layout", "cmake-dir"}.intersection(listed)


def test_common_options_come_last(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run(["build", "--help"])
    text = capsys.readouterr().out
    assert text.startswith("usage: hlsl_tool build [options] [NAMES ...]\n")
    own, common = text.split("common options:")
    assert "--prune" in own
    assert all(option in common for option in ("--root", "--config", "--set", "--diagnostics", "--jobs", "--store"))
    assert "--store", "none" not in text


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_former_verbs_keep_working(old: str, new: str, capsys: pytest.CaptureFixture[str]) -> None:
    def help_of(words: list[str]) -> tuple[str, str]:
        try:
            run([*words, "--help"])
        except SystemExit as end:
            assert not end.code
        return capsys.readouterr()

    (out, err), (expected, nothing) = help_of([old]), help_of(new.split())
    assert (out, nothing) == (expected, "")
    assert err == f"hlsl_tool: note: `hlsl_tool {old}` is now `hlsl_tool {new}`\n"


@pytest.mark.parametrize(
    ("words", "note"),
    [
        (["build", "--no-store", "--root", "nowhere"], "`--no-store` is now `--store none`"),
        (["watch", "--listen", "0", "--root", "nowhere"], "`--listen` is now `--events ws://localhost:PORT`"),
        (["lint", "a.yaml", "--root", "nowhere"], "`lint CONFIG` is now `lint --config CONFIG`"),
    ],
)
def test_former_options_keep_working(words: list[str], note: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(words) == 2
    assert capsys.readouterr().err == f"hlsl_tool: note: {note}\nhlsl_tool: error: there is no folder `nowhere`\n"


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
        ("reflect layout", "hlsl_tool.cli.reflecting.layout.run_layout"),
        ("glslc", "hlsl_tool.cli.compatible.glslc.run"),
        ("glslang", "hlsl_tool.cli.compatible.glslang.run"),
        ("schema", "hlsl_tool.cli.schema.run"),
        ("generate cmake-dir", "hlsl_tool.cli.exchange.cmake_dir.run"),
    ],
)
def test_a_bug_shows_no_traceback(
    verb: str, function: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*arguments: object, **options: object) -> None:
        raise LookupError("a bug of ours")

    monkeypatch.setattr(function, fails)
    assert run(verb.split()) == 3
    output = capsys.readouterr().err.splitlines()
    assert "internal compiler error: LookupError: a bug of ours (test_verbs.py:" in output[0]
    assert "please report it" in output[1]
    assert len(output) == 2


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
@pytest.mark.parametrize("words", [["generate", "cmake-dir"], ["compile", "--help"]])
def test_a_full_standard_output_is_an_error(words: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "hlsl_tool", *words]
        ended = subprocess.run(command, check=False, stdout=full, stderr=subprocess.PIPE, text=True)
    assert ended.stderr.startswith("hlsl_tool: error: ")
    assert ended.stderr.endswith("No space left on device\n")
    assert len(ended.stderr.splitlines()) == 1
    assert ended.returncode == 1


def test_the_version_loads_neither_parsers_nor_the_compiler() -> None:
    """The line is printed before anything is imported that the verbs need."""
    code = (
        "import sys; from hlsl_tool.cli.__main__ import run; run(['--version']);"
        "print(*sorted(name for name in sys.modules if name.startswith(('argparse', 'hlsl_tool.'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[1].split()
    assert not [name for name in loaded if name.startswith(("argparse", "hlsl_tool.base.d", "hlsl_tool.project"))]
    assert "hlsl_tool.cli.parsers" not in loaded
