"""Dependency files: the text of the rules, and how make and ninja read them."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess

import pytest

from hlsl_tool.project.build.outputs.make_rule import escape_name, make_rule

PREREQUISITES = ["plain.hlsl", "two words.h", "a$b.h", "a#b.h", "a:b.h", "a%b.h", "a[1].h", "back\\ slash.h", "ünï.h"]
TARGETS = ["a.spv", "two words.spv", "a$b.spv", "a#b.spv", "a:b.spv", "dir/a[1],b+c@d!e~f.spv", "(x){y}.spv"]


def test_a_rule_has_a_file_on_each_line() -> None:
    rule = make_rule(escape_name("a b.spv"), ["x.hlsl", "./y $#.h"])
    assert rule == "a\\ b.spv: x.hlsl \\\n  y\\ $$\\#.h\n"


def test_the_target_is_written_unchanged() -> None:
    assert make_rule("a$(equals)b", ["x.hlsl"]) == "a$(equals)b: x.hlsl\n"


def test_windows_paths() -> None:
    assert escape_name("C:/a b/x:y") == "C:/a\\ b/x\\:y"
    rule = make_rule("C:\\out\\x.spv", ["C:\\src\\.\\x.hlsl", "\\\\server\\share\\i.h"], separator="\\")
    assert rule == "C:\\out\\x.spv: C:/src/x.hlsl \\\n  //server/share/i.h\n"


def test_a_name_with_an_equals_sign_does_not_come_first() -> None:
    assert make_rule("x", ["a=1.hlsl", "b.h"]) == "x: b.h \\\n  a=1.hlsl\n"
    assert make_rule("x", ["a=1.hlsl"]) == "x: $  a=1.hlsl\n"


@pytest.mark.parametrize("prerequisite", [*PREREQUISITES, "a=b.h"])
def test_make_runs_when_a_prerequisite_changes(tmp_path: pathlib.Path, prerequisite: str) -> None:
    assert _made(tmp_path, "x.spv", prerequisite) == [False, True]


@pytest.mark.parametrize("target", TARGETS)
def test_make_finds_the_target(tmp_path: pathlib.Path, target: str) -> None:
    assert _made(tmp_path, target, "x.hlsl") == [False, True]


@pytest.mark.parametrize("prerequisite", [*PREREQUISITES, "a=b.h"])
def test_ninja_runs_when_a_prerequisite_changes(tmp_path: pathlib.Path, prerequisite: str) -> None:
    assert _built(tmp_path, "x.spv", prerequisite) == [True, False, True]


@pytest.mark.parametrize("target", [*TARGETS, "a=1.spv", "a%b.spv"])
def test_ninja_finds_the_target(tmp_path: pathlib.Path, target: str) -> None:
    assert _built(tmp_path, target, "x.hlsl") == [True, False, True]


def _made(folder: pathlib.Path, target: str, prerequisite: str) -> list[bool]:
    """Run make with an output that is up to date, and again after a change of the prerequisite.

    Return for each run whether it rebuilt the output.
    """
    if shutil.which("make") is None:
        pytest.skip("needs make (Debian package make)")
    output = folder / target
    output.parent.mkdir(exist_ok=True)
    _touch(folder / prerequisite, 1000)
    _touch(output, 2000)
    rule = make_rule(escape_name(target), [prerequisite])
    goal = escape_name(target)
    (folder / "Makefile").write_text(f"all: {goal}\n{goal}:\n\t@echo RAN\n{rule}")
    runs = [_run("make", folder)]
    _touch(folder / prerequisite, 3000)
    return [*runs, _run("make", folder)]


def _built(folder: pathlib.Path, target: str, prerequisite: str) -> list[bool]:
    """Run ninja with a missing output, again with nothing changed, and again after a change of the prerequisite.

    Return for each run whether it built the output.
    """
    if shutil.which("ninja") is None:
        pytest.skip("needs ninja (Debian package ninja-build)")
    (folder / target).parent.mkdir(exist_ok=True)
    _touch(folder / prerequisite, 1000)
    (folder / "rule.txt").write_text(make_rule(escape_name(target), [prerequisite]))
    name = target.replace("$", "$$").replace(" ", "$ ").replace(":", "$:")
    quoted = "'" + target.replace("$", "$$") + "'"
    # Without `deps = gcc` ninja also checks that the rule names the output.
    text = f"rule r\n  command = cp rule.txt x.d && touch {quoted} && echo RAN\n  depfile = x.d\nbuild {name}: r\n"
    (folder / "build.ninja").write_text(text)
    runs = [_run("ninja", folder), _run("ninja", folder)]
    _touch(folder / prerequisite, os.stat(folder / target).st_mtime + 10)
    return [*runs, _run("ninja", folder)]


def _run(program: str, folder: pathlib.Path) -> bool:
    done = subprocess.run([program], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return "RAN\n" in done.stdout


def _touch(path: pathlib.Path, time: float) -> None:
    path.touch()
    os.utime(path, (time, time))
