"""Stale outputs: reported by every build, removed by `--prune` and `prune=1`."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import pytest

from tests.build.conftest import TOOL_PATH, Project, Run

AXES = """\
shaders:
  - source: a.hlsl
    profile: ps_6_0
    outputs: [{outputs}]
    defines: {{ MODE: [{modes}] }}
"""
GONE = "build/shaders/a.main.MODE=2.spv"

Build = Callable[..., Run]


def configure(project: Project, modes: str = "0, 1, 2", outputs: str = "spv") -> None:
    project.write("config/shaders/a.yaml", AXES.format(modes=modes, outputs=outputs))


def scons(project: Project, *more: str) -> Run:
    return project.scons(*(word.replace("--prune", "prune=1") for word in more))


def scons_set(project: Project, *more: str) -> Run:
    return scons(project, "scons_nodes=set", *more)


def tool(project: Project, *more: str) -> Run:
    return project.tool("build", *more)


WAYS = [scons, scons_set, tool]


@pytest.fixture
def shrunk(project: Project) -> Project:
    """A project that has built a permutation which is no longer configured."""
    project.write("shaders/a.hlsl", "float x;\n")
    configure(project)
    project.tool("build")
    configure(project, "0, 1")
    return project


@pytest.mark.parametrize("build", WAYS)
def test_every_build_reports_them(shrunk: Project, build: Build) -> None:
    for _ in range(3):  # the last ones have nothing else to do
        run = build(shrunk)
        assert "1 stale output in build/shaders belongs to no shader" in run.out
        assert GONE in run.out
        assert (shrunk.root / GONE).exists()


@pytest.mark.parametrize("build", WAYS)
def test_prune_removes_them(shrunk: Project, build: Build) -> None:
    build(shrunk)
    run = build(shrunk, "--prune")
    assert "removed 1 stale output from build/shaders" in run.out
    assert "belongs" not in run.out
    assert not (shrunk.root / GONE).exists()
    assert (shrunk.root / "build/shaders/a.main.MODE=1.spv").exists()
    again = build(shrunk)
    assert "stale" not in again.out and again.compiled == []


def test_a_kind_of_output_that_is_wanted_no_more(project: Project) -> None:
    project.write("shaders/a.hlsl", "float x;\n")
    configure(project, outputs="spv, dep")
    project.tool("build")
    configure(project)
    assert "3 stale outputs" in project.tool("build").out
    assert "removed 3" in project.tool("build", "--prune").out
    assert not list((project.root / "build").rglob("*.d"))
    configure(project, outputs="spv, dep")
    assert "stale" not in project.tool("build").out


def test_a_configuration_that_was_removed(shrunk: Project) -> None:
    shrunk.write("config/shaders/b.yaml", "shaders:\n  - { source: sub/b.hlsl, profile: ps_6_0, outputs: [spv] }\n")
    shrunk.write("shaders/sub/b.hlsl", "float y;\n")
    shrunk.tool("build")
    (shrunk.root / "config/shaders/b.yaml").unlink()
    shrunk.tool("build", "--prune")
    assert not (shrunk.root / "build/shaders/sub").exists()


def test_one_that_comes_back_is_not_stale(shrunk: Project) -> None:
    shrunk.tool("build")
    configure(shrunk)
    run = shrunk.tool("build", "--prune")
    assert "stale" not in run.out and run.compiled == []
    assert (shrunk.root / GONE).exists()


def test_a_file_that_was_changed_is_left_alone(shrunk: Project) -> None:
    shrunk.write(GONE, b"mine")
    run = shrunk.tool("build", "--prune")
    assert "stale" not in run.out
    assert (shrunk.root / GONE).read_bytes() == b"mine"


def test_shaders_of_other_configurations_are_left_alone(shrunk: Project) -> None:
    shrunk.write("other/b.yaml", "shaders:\n  - { source: b.hlsl, profile: ps_6_0, outputs: [spv] }\n")
    shrunk.write("config/defaults.yaml", "source_dir: shaders\noutput_dir: build/shaders\n")
    shrunk.write("other/defaults.yaml", "source_dir: shaders\noutput_dir: build/shaders\n")
    shrunk.write("shaders/b.hlsl", "float y;\n")
    shrunk.tool("build", "--config", "other")
    run = shrunk.tool("build", "--prune")
    assert (shrunk.root / "build/shaders/b.main.spv").exists(), run.out


def test_a_log_that_lies_removes_nothing_outside(shrunk: Project, tmp_path: pathlib.Path) -> None:
    outside = shrunk.write("keep.spv", (shrunk.root / GONE).read_bytes())
    log = shrunk.root / "build/shaders/.hlsl_tool.log"
    log.write_text(log.read_text().replace(GONE, "build/shaders/../../keep.spv"))
    shrunk.tool("build", "--prune")
    assert outside.exists()


def test_prune_wants_the_whole_configuration(shrunk: Project) -> None:
    run = shrunk.tool("build", "--prune", "a.main")
    assert run.status == 2
    assert "--prune is for the whole configuration: name no shaders" in run.err


def test_a_shader_that_moved_to_another_configuration(shrunk: Project) -> None:
    for name in ("config/defaults.yaml", "other/defaults.yaml"):
        shrunk.write(name, "source_dir: shaders\noutput_dir: build/shaders\n")
    shrunk.write("other/a.yaml", AXES.format(modes="2", outputs="spv"))
    shrunk.tool("build")
    shrunk.tool("build", "--config", "other")
    run = shrunk.tool("build", "--prune")
    assert "stale" not in run.out
    assert (shrunk.root / GONE).exists()


def test_an_output_of_another_builder_is_left_alone(shrunk: Project) -> None:
    text = (shrunk.root / "SConstruct").read_text()
    data = (shrunk.root / GONE).read_bytes()
    shrunk.write("prebuilt.spv", data)
    shrunk.write("SConstruct", f"{text}Default(env.Command({GONE!r}, 'prebuilt.spv', Copy('$TARGET', '$SOURCE')))\n")
    run = shrunk.scons("prune=1")
    assert run.status == 0, run.out + run.err
    assert "removed" not in run.out
    assert (shrunk.root / GONE).read_bytes() == data


def test_a_question_removes_nothing(shrunk: Project) -> None:
    shrunk.scons("-q", "prune=1")
    assert (shrunk.root / GONE).exists()


def test_nested_output_folders_of_two_calls(project: Project) -> None:
    tool = f"env = Environment(tools=['hlsl'], toolpath=[{str(TOOL_PATH)!r}])\n"
    project.write("SConstruct", f"{tool}env.HlslShaders('one')\nenv.HlslShaders('two')\nDefault('shaders')\n")
    project.write("one/defaults.yaml", "source_dir: shaders\noutput_dir: build/s\n")
    project.write("two/defaults.yaml", "source_dir: shaders/sub\noutput_dir: build/s/sub\n")
    project.write("shaders/sub/x.hlsl", "int x;\n")
    project.write("shaders/y.hlsl", "int x;\n")
    y = "  - { source: y.hlsl, profile: ps_6_0, outputs: [spv] }\n"
    x = "  - { source: SUBx.hlsl, profile: ps_6_0, outputs: [spv] }\n"
    project.write("one/a.yaml", "shaders:\n" + y + x.replace("SUB", "sub/"))
    project.write("two/a.yaml", "shaders: []\n")
    project.scons()
    project.write("one/a.yaml", "shaders:\n" + y)
    project.write("two/a.yaml", "shaders:\n" + x.replace("SUB", ""))
    run = project.scons("prune=1")
    assert run.status == 0, run.out + run.err
    assert (project.root / "build/s/sub/x.main.spv").exists()
