"""The watcher: shaders that a saved file affects, last good outputs, errors, and editors' ways of saving."""

from __future__ import annotations

import os
import pathlib
import time

import pytest

from tests.build.conftest import SIMPLE, Project
from tests.build.watching import Watching

LIT = """\
shaders:
  - source: a.hlsl
    profile: ps_6_0
    outputs: [spv]
    include_dirs: [inc]
  - source: b.hlsl
    profile: ps_6_0
    outputs: [spv]
"""


@pytest.fixture
def watching(project: Project):
    project.write("config/shaders/all.yaml", LIT)
    project.write("shaders/a.hlsl", '#include "h.h"\n')
    project.write("shaders/inc/h.h", "int a;\n")
    project.write("shaders/b.hlsl", "int b;\n")
    found = Watching(project)
    yield found
    found.close()


def test_builds_at_the_start_and_then_only_what_is_affected(watching: Watching) -> None:
    assert sorted(watching.compiled()) == ["shaders/a.hlsl:main", "shaders/b.hlsl:main"]
    watching.project.write("shaders/inc/h.h", "int c;\n")
    watching.until("shaders: 1 built")
    assert watching.compiled() == ["shaders/a.hlsl:main"]
    watching.project.write("shaders/b.hlsl", "int d;\n")
    watching.until("shaders: 1 built")
    assert watching.compiled() == ["shaders/b.hlsl:main"]


def test_an_error_keeps_the_output_and_the_watcher(watching: Watching) -> None:
    output = watching.project.root / "build/shaders/a.main.spv"
    before = output.read_bytes()
    watching.project.write("shaders/inc/h.h", "FAIL\n")
    assert "error: a failure was asked for" in watching.until("1 failed")
    assert output.read_bytes() == before
    watching.project.write("shaders/inc/h.h", "int e;\n")
    watching.until("shaders: 1 built")
    assert output.read_bytes() != before


def test_from_scons(project: Project) -> None:
    project.simple()
    project.write("SConstruct", (project.root / "SConstruct").read_text() + "env.HlslWatch()\n")
    found = Watching(project, "SCons", "-Q", "watch")
    try:
        project.write("shaders/a.hlsl", "int changed;\n")
        found.until("shaders: 1 built")
    finally:
        found.close()
    assert project.scons().compiled == []


def save_by_move(path: pathlib.Path, text: str) -> None:
    other = path.with_name("." + path.name + ".swp")
    other.write_text(text)
    os.replace(other, path)


def save_with_backup(path: pathlib.Path, text: str) -> None:
    os.replace(path, path.with_name(path.name + "~"))
    path.write_text(text)


def save_in_place(path: pathlib.Path, text: str) -> None:
    with path.open("r+") as stream:
        stream.truncate()
        stream.write(text)


@pytest.mark.parametrize("save", [save_by_move, save_with_backup, save_in_place])
def test_the_ways_of_editors(watching: Watching, save) -> None:
    watching.compiled()
    save(watching.project.root / "shaders/inc/h.h", "int saved;\n")
    watching.until("shaders: 1 built")
    time.sleep(0.3)
    assert watching.compiled() == ["shaders/a.hlsl:main"]


def test_a_burst_is_one_build(watching: Watching) -> None:
    watching.compiled()
    for number in range(20):
        watching.project.write("shaders/b.hlsl", f"int burst{number};\n")
        time.sleep(0.005)
    watching.until("shaders: ")
    time.sleep(0.5)
    assert len(watching.compiled()) <= 2


def test_a_save_that_changes_nothing(watching: Watching) -> None:
    watching.compiled()
    watching.project.write("shaders/b.hlsl", "int b;\n")
    watching.quiet()
    assert watching.compiled() == []


def test_an_earlier_folder_gains_the_file(watching: Watching) -> None:
    watching.compiled()
    watching.project.write("shaders/h.h", "int nearer;\n")
    watching.until("shaders: 1 built")
    assert watching.compiled() == ["shaders/a.hlsl:main"]


def test_a_missing_include_appears(watching: Watching) -> None:
    watching.project.write("shaders/b.hlsl", '#include "late/late.h"\n')
    assert "late.h" in watching.until("1 failed")
    watching.project.write("shaders/late/late.h", "int late;\n")
    watching.until("shaders: 1 built")


def test_the_configuration_changes(watching: Watching) -> None:
    watching.compiled()
    watching.project.write("config/shaders/all.yaml", LIT + "    layout: dx\n")
    watching.until("shaders: 1 built, 1 up to date")
    watching.project.write("config/shaders/all.yaml", LIT + "    layuot: dx\n")
    assert "did you mean `layout`?" in watching.until("waiting for it to change")
    watching.project.write("config/shaders/all.yaml", LIT)
    watching.until("shaders: 1 built, 1 up to date")


def test_a_later_scons_finds_everything_current(watching: Watching) -> None:
    watching.project.scons()
    watching.compiled()
    watching.project.write("shaders/inc/h.h", "int newer;\n")
    watching.until("shaders: 1 built")
    watching.close()
    after = watching.project.outputs()
    run = watching.project.scons()
    assert run.compiled == []
    assert watching.project.outputs() == after
    assert watching.project.scons().summary == "shaders: 0 built, 2 up to date, 0 failed"


def test_scons_after_a_watcher_and_an_edit_taken_back(watching: Watching) -> None:
    watching.project.scons()
    before = watching.project.outputs()
    watching.project.write("shaders/inc/h.h", "int newer;\n")
    watching.until("shaders: 1 built")
    watching.close()
    watching.project.write("shaders/inc/h.h", "int a;\n")
    assert watching.project.scons().compiled == ["shaders/a.hlsl:main"]
    assert watching.project.outputs() == before


def test_from_scons_with_two_calls(project: Project) -> None:
    """Each call of `HlslShaders` has its own watcher, for the folders of its configurations."""
    project.simple()
    project.write("other/b.yaml", "source_dir: src\noutput_dir: build/other\n" + SIMPLE.replace("a.hlsl", "b.hlsl"))
    project.write("src/b.hlsl", "int b;\n")
    text = (project.root / "SConstruct").read_text()
    project.write("SConstruct", text + "env.HlslShaders('other')\nenv.HlslWatch()\n")
    found = Watching(project, "SCons", "-Q", "watch")
    try:
        found.until("watching;")
        project.write("src/b.hlsl", "int changed;\n")
        project.write("shaders/a.hlsl", "int changed;\n")
        found.until("shaders: 1 built")
        found.until("shaders: 1 built")
    finally:
        found.close()
    assert not (project.root / "build/shaders/b.main.spv").exists()
    assert project.scons("shaders").compiled == []
