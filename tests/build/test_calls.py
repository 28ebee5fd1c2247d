"""Subcommands without options use the arguments of the `HlslShaders` calls in the SConstruct that SCons ran last."""

from __future__ import annotations

import shutil

import pytest

from tests.build.conftest import TOOL_PATH, Project

CALL = "env.HlslShaders('game/setup', root='game', variables={'DIR': 'src'}, output_dir='out')\n"


@pytest.fixture
def game(project: Project) -> Project:
    tool = f"env = Environment(tools=['hlsl'], toolpath=[{str(TOOL_PATH)!r}])\n"
    project.write("SConstruct", f"{tool}{CALL}")
    project.write("game/setup/a.yaml", "source_dir: ${DIR}\nshaders: [{ source: a.hlsl, profile: ps_6_0 }]\n")
    project.write("game/src/a.hlsl", "int x;\n")
    assert project.scons().status == 0
    return project


def test_one_call(game: Project) -> None:
    run = game.tool("why", "a")
    assert run.out.startswith("a.main: up to date"), run.err
    run = game.tool("stats")
    assert (run.status, "1 shader" in run.out) == (0, True), run.out + run.err
    assert game.tool("why", "a", "--root", ".").status == 2
    assert game.scons("-c").status == 0
    assert not (game.root / ".sconsign.hlsl_tool.calls").exists()


def test_several_calls(game: Project) -> None:
    text = (game.root / "SConstruct").read_text()
    game.write("SConstruct", text + CALL.replace("'out'", "'other'"))
    assert game.scons().status == 0
    run = game.tool("why", "a")
    assert run.status == 2
    assert "several calls of `HlslShaders`" in run.err
    options = run.err.splitlines()[-1].split()
    assert game.tool("why", "a", *options).out.startswith("a.main: up to date")


def test_calls_of_somebody_else(game: Project) -> None:
    path = game.root / ".sconsign.hlsl_tool.calls"
    path.write_bytes(path.read_bytes().replace(b"setup", b"other"))
    assert "config/shaders" in game.tool("why", "a").err


def test_calls_of_the_folder_that_was_copied(game: Project) -> None:
    copy = Project(game.root.parent / "copy")
    shutil.copytree(game.root, copy.root, dirs_exist_ok=True)
    assert "config/shaders" in copy.tool("why", "a").err
    assert copy.scons().status == 0
    assert copy.tool("why", "a").out.startswith("a.main: up to date")
