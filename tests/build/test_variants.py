"""Variants of one configuration in one SConstruct, with a SCons node for each shader and with one for all."""

from __future__ import annotations

import json

import pytest

from tests.build.conftest import TOOL_PATH, Project
from tests.build.watching import Watching

CONFIG = """\
scons_nodes: %s
output_dir: build/${VARIANT:-release}
include_dirs: ["${SDK:-include}"]
variants:
  debug: { defines: { DEBUG: 1 } }
  release:
shaders:
  - { source: "*.hlsl", profile: ps_6_0, outputs: [spv], defines: { N: [~, 1] } }
"""
SCONSTRUCT = f"""\
env = Environment(tools=['hlsl'], toolpath=[{str(TOOL_PATH)!r}])
for variant in ('debug', 'release'):
    env.Alias(variant, env.HlslShaders('config/shaders', variant=variant, defines={{'TRACE': variant == 'debug'}}))
env.HlslShaders('config/shaders', output_dir='#out', variables={{'SDK': 'sdk'}})
"""


@pytest.fixture(params=["single", "set"])
def engine(request: pytest.FixtureRequest, project: Project) -> Project:
    project.write("config/shaders/a.yaml", CONFIG % request.param)
    project.write("SConstruct", SCONSTRUCT)
    for name in ("a", "b"):
        project.write(f"shaders/{name}.hlsl", '#include "c.h"\n')
    project.write("shaders/include/c.h", "int x;\n")
    project.write("shaders/sdk/c.h", "int y;\n")
    return project


def test_variants_are_built_apart(engine: Project) -> None:
    assert engine.scons("shaders").summary.startswith("shaders: 12 built")
    for folder, defines in (
        ("build/debug", {"DEBUG": "1", "TRACE": "true"}),
        ("build/release", {"TRACE": "false"}),
        ("out", {}),
    ):
        manifest = json.loads((engine.root / folder / "manifest.json").read_text())
        assert manifest.get("variant") == (folder.partition("/")[2] or None)
        names = {shader["name"]: shader["defines"] for shader in manifest["shaders"]}
        assert names == {
            name: defines | permutation
            for source in "ab"
            for name, permutation in ((f"{source}.main", {}), (f"{source}.main.N=1", {"N": "1"}))
        }
    again = engine.scons("shaders")
    assert again.compiled == [] and again.status == 0
    engine.write("shaders/include/c.h", "int z;\n")
    assert len(engine.scons("debug").compiled) == 4
    assert len(engine.scons("shaders").compiled) == 4, "out includes another header"


def test_the_command_line_knows_the_variants_of_scons(engine: Project) -> None:
    engine.scons("shaders")
    words = ("--variant", "debug", "--define", "TRACE=true")
    assert engine.tool("build", *words).compiled == []
    assert "up to date" in engine.tool("why", *words, "build/debug/a.main.spv").out
    (engine.root / "shaders/b.hlsl").unlink()
    engine.tool("build", "--prune", *words)
    left = sorted(path.relative_to(engine.root).as_posix() for path in engine.root.rglob("*.spv"))
    assert [path for path in left if path.startswith("build/debug")] == [
        "build/debug/a.main.N=1.spv",
        "build/debug/a.main.spv",
    ]
    assert len(left) == 10


def test_two_variants_cannot_share_a_folder(engine: Project) -> None:
    engine.write("config/shaders/a.yaml", (CONFIG % "auto").replace("${VARIANT:-release}", "x"))
    run = engine.scons()
    assert run.status == 2 and "another call of `HlslShaders` writes to `build/x`, too" in run.err
    engine.write("SConstruct", SCONSTRUCT.replace("'debug', 'release'", "'debgg',"))
    run = engine.scons()
    assert run.status == 2 and "SConstruct:3:1: error: no configuration has the variant `debgg` [CFG1780]" in run.err
    assert "hint: did you mean `debug`?" in run.err and "Traceback" not in run.err


def test_the_watcher_knows_variants_and_new_functions(engine: Project) -> None:
    engine.write("config/shaders/a.yaml", (CONFIG % "auto").replace("profile: ps", 'entry: "PS*", profile: ps'))
    for name in "ab":
        engine.write(f"shaders/{name}.hlsl", "void PSOne() { }\n")
    watching = Watching(engine, options=("--variant", "debug"))
    try:
        assert (engine.root / "build/debug/a.PSOne.N=1.spv").exists()
        engine.write("shaders/a.hlsl", "void PSOne() { }\nvoid PSTwo() { }\n")
        watching.until("shaders: 4 built")
        assert (engine.root / "build/debug/a.PSTwo.spv").exists()
        assert not (engine.root / "build/release").exists()
    finally:
        watching.close()


def test_single_shaders_take_templates_and_patterns(project: Project) -> None:
    project.write("shaders/a.hlsl", "void PSOne() { }\nvoid PSTwo() { }\n")
    call = "env.HlslShader('shaders/a.hlsl', entry='PS*', profile='ps_6_0', name='{stem}_{entry}', %s)\n"
    top = SCONSTRUCT.splitlines()[0] + "\n"
    project.write("SConstruct", top + call % "overrides={'entry': 'PSTwo', 'optimize': 'size'}")
    assert project.scons().status == 0
    assert sorted(path.name for path in project.root.rglob("*.spv")) == ["a_PSOne.spv", "a_PSTwo.spv"]
    project.write("SConstruct", top + call % "overrides={'entry': 'VS*', 'optimize': 'size'}")
    assert "SConstruct:2:1: error: the override selects no shader" in project.scons().err
    project.write("SConstruct", top + call.replace("{entry}", "x") % "outputs=['spv']")
    assert "would be written" in project.scons().err
