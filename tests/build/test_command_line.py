"""`hlsl_tool build` reuses the plan and the file stamps that the last build stored, and detects what changed since."""

from __future__ import annotations

import pytest

from tests.build.conftest import Project
from tests.build.test_scons import lit

CURRENT = "shaders: 0 built, 4 up to date, 0 failed"
SPV = "build/shaders/lit/pbr.PSMain.SHADOWS=0.spv"


def modules(err: str) -> list[str]:
    """Return the modules in the output of `-X importtime`."""
    return [line.rpartition("|")[2].strip() for line in err.splitlines() if line.startswith("import time:")]


def test_nothing_to_do_loads_neither_compiler_nor_configurations(project: Project) -> None:
    lit(project)
    assert len(project.tool("build").compiled) == 4
    run = project.python("-X", "importtime", "-m", "hlsl_tool", "build")
    assert (run.status, run.summary) == (0, CURRENT)
    found = modules(run.err)
    assert "hlsl_tool.project.build.currency.state_file" in found
    for module in (
        "yaml",
        "lark",
        "hlsl_tool.project.build.engine",
        "hlsl_tool.project.build.plan",
        "hlsl_tool.project.config.load",
    ):
        assert module not in found


@pytest.mark.parametrize("what", ["header", "source", "output", "removed", "manifest", "option", "new header", "young"])
def test_everything_else_is_found(project: Project, what: str) -> None:
    lit(project)
    project.tool("build")
    project.tool("build")
    built = 4
    match what:
        case "header":
            project.write("shaders/include/c.h", "#define X 2\n")
        case "source":
            project.write("shaders/lit/pbr.hlsl", '#include "c.h"\nint y = X;\n')
        case "output":
            project.write(SPV, b"nothing")
            built = 1
        case "removed":
            (project.root / SPV).unlink()
            built = 1
        case "manifest":
            (project.root / "build/shaders/manifest.json").unlink()
            built = 0
        case "option":
            project.write("config/defaults.yaml", "hlsl_version: 2018\n")
        case "new header":
            project.write("shaders/lit/c.h", "#define X 3\n")
        case "young":
            project.write("shaders/include/c.h", "#define X 1\n")
            built = 0
    run = project.tool("build")
    assert (run.status, len(run.compiled)) == (0, built), run.out
    assert run.summary == f"shaders: {built} built, {4 - built} up to date, 0 failed"
    assert (project.root / "build/shaders/manifest.json").exists()
    assert project.tool("build").summary == CURRENT


def test_a_failure_is_tried_again(project: Project) -> None:
    lit(project)
    project.tool("build")
    project.write("shaders/lit/pbr.hlsl", "#error no\n")
    for _ in range(2):
        run = project.tool("build")
        assert (run.status, run.summary) == (2, "shaders: 0 built, 0 up to date, 4 failed")
    lit(project)
    assert project.tool("build").summary == CURRENT, "the outputs are still those of this text"


def test_a_build_of_named_shaders_leaves_the_full_build_current(project: Project) -> None:
    lit(project)
    project.tool("build")
    assert project.tool("build", "PSMain").summary == "shaders: 0 built, 2 up to date, 0 failed"
    run = project.python("-X", "importtime", "-m", "hlsl_tool", "build")
    assert run.summary == CURRENT
    assert "hlsl_tool.project.build.engine" not in modules(run.err)
    project.write("shaders/include/c.h", "#define X 2\n")
    assert project.tool("build", "PSMain").summary == "shaders: 2 built, 0 up to date, 0 failed"
    assert project.tool("build").summary == "shaders: 2 built, 2 up to date, 0 failed"


def test_scons_and_the_command_line_share_it(project: Project) -> None:
    lit(project)
    project.write("config/defaults.yaml", "scons_nodes: set\n")
    project.scons()
    run = project.python("-X", "importtime", "-m", "hlsl_tool", "build")
    assert run.summary == CURRENT
    assert "yaml" not in modules(run.err)
    project.write("shaders/include/c.h", "#define X 2\n")
    assert len(project.tool("build").compiled) == 4
    run = project.python("-X", "importtime", "-m", "SCons", "-Q")
    assert run.summary == CURRENT
    assert "yaml" not in modules(run.err)


def test_wrong_arguments_are_errors_in_a_current_build_too(project: Project) -> None:
    lit(project)
    project.tool("build")
    run = project.tool("build", "--executor", "slurm")
    assert (run.status, "--executor slurm: it is `local` or an address" in run.err) == (2, True)
    run = project.tool("build", "--store", "none", "--store", "user")
    assert (run.status, "`none` stands alone" in run.err) == (2, True)


def test_configurations_that_come_with_messages_are_not_kept(project: Project) -> None:
    lit(project)
    project.tool("build")
    project.write("config/defaults.yaml", "optimise: none\n")
    for _ in range(2):
        run = project.tool("build")
        assert run.status == 2
        assert "optimise" in run.err
