"""SCons options that change how it detects out-of-date targets: an edited header rebuilds its shaders with each."""

from __future__ import annotations

import pytest

from tests.build.conftest import TOOL_PATH, Project, Run

CALLS = {
    "single": "env.HlslShaders('config/shaders', nodes='single')",
    "set": "env.HlslShaders('config/shaders', nodes='set')",
    "one": "env.HlslShader('shaders/a.hlsl', profile='ps_6_0', outputs=['spv'])",
}
EACH_CALL = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())

OPTIONS = [
    "--implicit-cache",
    "--implicit-deps-unchanged",
    "--implicit-deps-changed",
    "--max-drift=0",
    "--max-drift=-1",
    "--cache-disable",
    "--cache-force",
    "--cache-populate",
    "--cache-readonly",
    "--cache-show",
    "-k",
    "--random",
    "-j2",
    "--stack-size=256",
]
SETTINGS = [
    "SetOption('implicit_cache', 1)",
    "SetOption('max_drift', 0)",
    "CacheDir('cache')",
    *(f"Decider({name!r})" for name in ("content", "content-timestamp", "timestamp-newer", "timestamp-match", "make")),
    "Decider(lambda dependency, target, before, repository=None: False)",
]


def sconstruct(project: Project, call: str, *before: str) -> None:
    tool = f"env = Environment(tools=['hlsl'], toolpath=[{str(TOOL_PATH)!r}])"
    project.write("SConstruct", "\n".join([*before, tool, call, "Default('shaders')\n"]))


def included(project: Project, value: int) -> None:
    project.simple('#include "c.h"\nint x = X;\n')
    project.write("shaders/c.h", f"#define X {value}\n")


@EACH_CALL
def test_edits_under_each_option(project: Project, call: str) -> None:
    sconstruct(project, call)
    for number, option in enumerate(("-Q", *OPTIONS)):
        included(project, number)
        run = project.scons(option)
        assert (option, run.compiled) == (option, ["shaders/a.hlsl:main"]), run.out + run.err
    assert project.scons("--implicit-cache").compiled == []
    assert project.scons().compiled == []


@EACH_CALL
def test_edits_under_each_setting(project: Project, call: str) -> None:
    for number, setting in enumerate(SETTINGS):
        sconstruct(project, call, setting)
        included(project, number)
        run = project.scons()
        assert (setting, run.compiled) == (setting, ["shaders/a.hlsl:main"]), run.out + run.err
    assert project.scons().compiled == []


@EACH_CALL
def test_options_of_the_environment(project: Project, call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCONSFLAGS", "--implicit-cache --implicit-deps-unchanged")
    sconstruct(project, call)
    for number in range(2):
        included(project, number)
        assert len(project.scons().compiled) == 1


@pytest.mark.parametrize("call", [CALLS["single"], CALLS["set"]], ids=["single", "set"])
def test_packs_under_frozen_dependencies(project: Project, call: str) -> None:
    sconstruct(project, call, "SetOption('implicit_cache', 1)")
    included(project, 1)
    project.write("config/shaders/p.yaml", "packs: [{ name: every }]\nshaders: []\n")
    project.scons()
    pack = project.outputs()["build/shaders/every.hlslpack"]
    included(project, 2)
    project.scons()
    assert project.outputs()["build/shaders/every.hlslpack"] != pack


# ---------------------------------------------------------------- interactive


def interactive(project: Project, *lines: str) -> Run:
    """Run an interactive SCons with these input lines; a line that starts with `!` is Python code."""
    program = f"""
import io, os, sys
from hlsl_tool.base.system.atomic_write import write_atomic
lines = {list(lines)!r}
class Input(io.StringIO):
    def readline(self, *rest):
        while lines and lines[0].startswith("!"):
            exec(lines.pop(0)[1:])
        return lines.pop(0) + "\\n" if lines else ""
sys.stdin = Input()
sys.argv = ["scons", "-Q", "--interactive"]
import SCons.Script
SCons.Script.main()
"""
    return project.python("-c", program)


@EACH_CALL
def test_interactive_builds(project: Project, call: str) -> None:
    sconstruct(project, call)
    included(project, 1)
    edit = "!write_atomic('shaders/c.h', b'#define X 2\\n')"
    run = interactive(project, "build", "build", edit, "build", "build", "exit")
    assert run.status == 0, run.err
    assert run.compiled == ["shaders/a.hlsl:main"] * 2, run.out
    assert run.out.count("[1/1] a.main") == 2
    assert run.out.count("is up to date") == 2
    assert project.scons().compiled == []


@EACH_CALL
def test_interactive_clean(project: Project, call: str) -> None:
    sconstruct(project, call)
    included(project, 1)
    run = interactive(project, "build", "clean", "!print(sorted(os.listdir('build/shaders')))", "build", "exit")
    assert "Removed build/shaders/a.main.spv" in run.out
    assert "a.main.spv" not in run.out.partition("['")[2].partition("]")[0]
    assert len(run.compiled) == 2
    assert "build/shaders/a.main.spv" in project.outputs()


@pytest.mark.parametrize(
    "call",
    [
        "env.HlslShaders('config/shaders', nodes='single')",
        "env.HlslShader('shaders/a.hlsl', profile='ps_6_0', outputs=['spv', 'header', 'reflection'])",
    ],
    ids=["single", "one"],
)
def test_interactive_clean_removes_every_output(project: Project, call: str) -> None:
    sconstruct(project, call)
    included(project, 1)
    config = project.root / "config/shaders/a.yaml"
    config.write_text(config.read_text().replace("[spv]", "[spv, header, reflection]"))
    run = interactive(project, "build", "build", "clean", "!print(sorted(os.listdir('build/shaders')))", "exit")
    assert run.compiled == ["shaders/a.hlsl:main"], run.out + run.err
    assert "a.main" not in run.out.partition("['")[2].partition("]")[0]


# ---------------------------------------------------------------- other tools and folders


@EACH_CALL
def test_the_ninja_tool_is_refused(project: Project, call: str) -> None:
    """A SConstruct that uses SCons's `ninja` tool gets an error.

    The tool needs a package that is not installed, so the test imitates an active tool.
    """
    loaded = "import sys, types; sys.modules['SCons.Tool.ninja'] = types.SimpleNamespace(NINJA_STATE=1)"
    sconstruct(project, call, loaded, "AddOption('--disable-ninja', dest='disable_ninja')")
    included(project, 1)
    run = project.scons()
    assert run.status == 2
    assert "[CFG1718]" in run.err and "Traceback" not in run.err
    assert run.compiled == []


@pytest.mark.parametrize("duplicate", [0, 1])
@pytest.mark.parametrize("mode", ["single", "set"])
def test_variant_folders(project: Project, mode: str, duplicate: int) -> None:
    declare = f"SConscript('game/SConscript', variant_dir='out', duplicate={duplicate}, exports='env')"
    sconstruct(project, declare)
    project.write("game/SConscript", f"Import('env')\nenv.HlslShaders('config', root='.', nodes='{mode}')\n")
    project.write("game/config/a.yaml", "shaders: [{ source: a.hlsl, profile: ps_6_0, outputs: [spv] }]\n")
    project.write("game/shaders/a.hlsl", '#include "c.h"\nint x = X;\n')
    for value in (1, 2):
        project.write("game/shaders/c.h", f"#define X {value}\n")
        run = project.scons()
        assert run.status == 0, run.out + run.err
        assert run.compiled == ["shaders/a.hlsl:main"]
    assert (project.root / "out/build/shaders/a.main.spv").exists()
    assert project.scons().compiled == []
    assert project.scons("-c").status == 0
    assert not (project.root / "out/build/shaders/a.main.spv").exists()
    assert (project.root / "game/shaders/a.hlsl").exists()


@EACH_CALL
def test_repositories(project: Project, call: str) -> None:
    sconstruct(project, call, "Repository('theirs')")
    theirs = Project(project.root / "theirs")
    for value in (1, 2):
        included(theirs, value)
        run = project.scons()
        assert run.status == 0, run.out + run.err
        assert len(run.compiled) == 1
    assert project.scons().compiled == []
    assert "build/shaders/a.main.spv" in project.outputs()
    assert not theirs.outputs()
