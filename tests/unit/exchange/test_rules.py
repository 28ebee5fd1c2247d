"""Generated rules: names, build commands, and names that a build system cannot express."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.cli.__main__ import run
from hlsl_tool.project.build.job import Job
from hlsl_tool.project.exchange.rules import JOBS_PER_STEP, Rule, Rules, Unwritable
from hlsl_tool.project.exchange.step import decode, run_step
from hlsl_tool.project.exchange.writers.cmake import cmake
from hlsl_tool.project.exchange.writers.compile_commands import compile_commands
from hlsl_tool.project.exchange.writers.make import make
from hlsl_tool.project.exchange.writers.meson import meson
from hlsl_tool.project.exchange.writers.ninja import ninja


def rules_with(source: str) -> Rules:
    rule = Rule("r.steps/a.json", f"hlsl {source}", source, ["out/a.X=1.spv"])
    return Rules("r", "out", [rule], ["out/manifest.json"], ["c.yaml"], ["gen"], ["end"], ["step"])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config").mkdir()
    (tmp_path / "shaders").mkdir()
    (tmp_path / "shaders/a.hlsl").write_text("float4 main() : SV_Target { return 0; }\n")
    return tmp_path


def write(folder: Path, count: int) -> None:
    values = ", ".join(map(str, range(count)))
    text = f"shaders: [{{ source: a.hlsl, profile: ps_6_0, defines: {{ N: [{values}] }} }}]\n"
    (folder / "config/a.yaml").write_text(text)


@pytest.mark.parametrize("writer", [ninja, make, cmake])
def test_names_that_a_build_system_cannot_have(writer) -> None:
    with pytest.raises(Unwritable, match=r"has no way to write the name '.*a\\nb"):
        writer(rules_with("a\nb.hlsl"))


def test_names_with_special_characters() -> None:
    assert "build out/a.X=1.spv: hlsl_step a$ $$b$:c.hlsl | r.steps/a.json\n" in ninja(rules_with("a $b:c.hlsl"))
    text = make(rules_with("a $#%b.hlsl"))
    assert "r.steps/a.stamp: r.steps/a.json a\\ $$\\#%b.hlsl\n" in text
    assert "out/a.X$(hlsl_equals)1.spv: r.steps/a.stamp\n" in text
    assert "[=[a ${b} \\ $ENV{c}.hlsl]=]" in cmake(rules_with("a ${b} \\ $ENV{c}.hlsl"))
    assert r"subdir('it\'s')" in meson(folder="it's", root="..", output_dir="b", words=[]).replace('"', "'")


@pytest.mark.parametrize("name", ["a;b", "a]=]b", "$<a>", "a]"])
def test_cmake_refuses_what_it_would_take_apart(name: str) -> None:
    with pytest.raises(Unwritable):
        cmake(rules_with(name))


def test_many_permutations_are_several_steps(folder: Path) -> None:
    write(folder, JOBS_PER_STEP + 1)
    assert run(["generate", "ninja", "--config", "config"]) == 0
    steps = {path.name: decode(path.read_bytes()) for path in (folder / "shaders.ninja.steps").rglob("*.json")}
    assert {name: len(step.jobs) for name, step in steps.items()} == {
        "a.hlsl.1.json": JOBS_PER_STEP,
        "a.hlsl.2.json": 1,
    }
    write(folder, 2)
    assert run(["generate", "ninja", "--config", "config"]) == 0
    assert [path.name for path in (folder / "shaders.ninja.steps").rglob("*.json")] == ["a.hlsl.json"]


def test_steps_are_private(folder: Path) -> None:
    """Only the user can read the files that describe build commands; the generated ninja file has usual permissions.

    These files may contain the password in a store's address.
    """
    write(folder, 1)
    assert run(["generate", "ninja", "--config", "config"]) == 0
    (step,) = (folder / "shaders.ninja.steps").rglob("*.json")
    assert step.stat().st_mode & 0o077 == 0
    assert (folder / "shaders.ninja").stat().st_mode & 0o777 == 0o666 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_generated_again_nothing_is_written(folder: Path) -> None:
    write(folder, 2)
    for kind, file in (("ninja", "shaders.ninja"), ("cmake", "shaders.cmake")):
        times = []
        for _ in range(2):
            assert run(["generate", kind, "--config", "config"]) == 0
            times.append([path.stat().st_mtime_ns for path in sorted(folder.rglob(f"{file}*/**")) if path.is_file()])
        assert times[0] == times[1]


def test_files_of_others_are_not_overwritten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, 1)
    (folder / "meson.build").write_text("project('mine')\n")
    assert run(["generate", "meson", "--config", "config", "-o", "meson.build"]) == 2
    assert "`meson.build` was not written by `hlsl_tool generate`" in capsys.readouterr().err
    assert (folder / "meson.build").read_text() == "project('mine')\n"


@pytest.mark.parametrize(
    ("name", "message"),
    [("", "-o names no file"), (".", "`.` is no regular file"), ("/dev/null", "`/dev/null` is no regular file")],
)
def test_names_that_are_no_files(folder: Path, capsys: pytest.CaptureFixture[str], name: str, message: str) -> None:
    write(folder, 1)
    before = sorted(folder.iterdir())
    for kind in ("ninja", "cmake"):
        assert run(["generate", kind, "--config", "config", "-o", name]) == 2
        assert message in capsys.readouterr().err.replace(f"`{folder}`", "`.`")
    assert sorted(folder.iterdir()) == before


def test_errors_of_configurations_leave_the_rules_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "config/a.yaml").write_text("shaders: [{ source: a.hlsl }]\n")
    assert run(["generate", "ninja", "--config", "config"]) == 2
    assert "config/a.yaml:1:" in capsys.readouterr().err
    assert not (folder / "shaders.ninja").exists()


def test_a_place_that_cannot_be_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, 1)
    assert run(["generate", "ninja", "--config", "config", "-o", "config/a.yaml/x"]) == 2
    assert "cannot write `config/a.yaml" in capsys.readouterr().err


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"format": "step 0"}', '{"format": "step 1"}', "\xff", "[" * 10**5]
)
def test_files_that_are_no_steps(tmp_path: Path, content: str) -> None:
    (tmp_path / "s.json").write_bytes(content.encode("latin-1"))
    status, text = run_step(["s.json"], str(tmp_path))
    assert (status, text.count("\n")) == (1, 1)
    assert text.startswith("error: 's.json': ")
    assert text.endswith("; generate the rules again\n")


def test_a_step_that_is_damaged(folder: Path) -> None:
    write(folder, 1)
    assert run(["generate", "ninja", "--config", "config"]) == 0
    (path,) = (folder / "shaders.ninja.steps").rglob("*.json")
    content = json.loads(path.read_text())
    for key in content:
        for value in (None, 7, [], ["x"], {"x": 1}):
            path.write_text(json.dumps(content | {key: value}))
            status, text = run_step([str(path)], str(folder))
            assert status == 0 or "error: " in text, (key, value, text)
    path.write_text(json.dumps(content | {"jobs": []}))
    assert run_step([str(path)], str(folder)) == (1, f"error: '{path}': it has no jobs; generate the rules again\n")


def test_calls_that_are_wrong(tmp_path: Path) -> None:
    assert run_step([], str(tmp_path)) == (1, "error: --step takes one jobs file\n")
    status, text = run_step(["none.json"], str(tmp_path))
    assert (status, text) == (
        1,
        "error: cannot read the jobs file 'none.json': No such file or directory; generate the rules again\n",
    )


def test_a_depfile_needs_a_stamp(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, 1)
    assert run(["build", "--config", "config", "--depfile", "d"]) == 2
    assert "--depfile needs --stamp" in capsys.readouterr().err
    assert not (folder / "build").exists()


@pytest.mark.parametrize("words", [["--stamp", "s"], ["--depfile", "d"]])
def test_stamps_are_for_whole_builds(folder: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, 1)
    assert run(["build", "--config", "config", "a.hlsl", *words]) == 2
    assert f"{words[0]} is for the whole configuration" in capsys.readouterr().err


@pytest.mark.parametrize("writer", [ninja, make, cmake])
def test_a_step_depends_on_its_options_and_its_source(writer) -> None:
    """The file of a build command contains the options, so the command runs again if they change."""
    text = writer(rules_with("shaders/a.hlsl"))
    assert text.count("r.steps/a.json") >= (2 if writer is cmake else 1), "in the command, and as a dependency"


def test_the_name_of_an_array_is_an_argument() -> None:
    options = CompileOptions(profile="ps_6_0")
    jobs = [
        Job("a", "a.hlsl", options, {"spv": "o/a.spv", "header": "o/a.h"}, array="a_words"),
        Job("b", "b.hlsl", options, {"spv": "o/b.spv"}, array="b_words"),
        Job("c", "c.hlsl", options, {"header": "o/c.h"}),
    ]
    rows = json.loads(compile_commands(jobs, "/root"))
    named = [row["arguments"][row["arguments"].index("-Vn") + 1] if "-Vn" in row["arguments"] else "" for row in rows]
    assert named == ["a_words", "", ""]
    assert [row["output"] for row in rows] == ["o/a.spv", "o/b.spv", "o/c.h"]
