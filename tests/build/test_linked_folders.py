"""Paths with `..` after a symbolic link: every build method reads the file that the system finds."""

from __future__ import annotations

import pathlib
import shutil
import time

import pytest

from hlsl_tool.project.build.currency.digests import AT_REST
from tests.build.conftest import SIMPLE, Project
from tests.build.systems import SYSTEMS, Rules, System
from tests.build.watching import Watching

pytestmark = pytest.mark.skipif("sys.platform == 'win32'")

ROADS = [["-m", "hlsl_tool", "build"], *(["-m", "SCons", "-Q", f"scons_nodes={mode}"] for mode in ("single", "set"))]
EACH_ROAD = pytest.mark.parametrize("road", ROADS, ids=lambda road: road[-1])

SOURCE = """\
#if T == 5
int five WARN;
#elif T != 4
int FAIL;
#endif
"""
"""A shader that compiles with the header that the system finds, and warns with that of the other target."""


@pytest.fixture
def game(tmp_path: pathlib.Path) -> Project:
    """Return a project with a symbolic link to the folder of another one, whose header includes `../shared/types.h`."""
    for name, value in (("engine", 4), ("older", 5)):
        (tmp_path / name / "shaders").mkdir(parents=True)
        (tmp_path / name / "shared").mkdir()
        (tmp_path / name / "shaders/core.h").write_text('#include "../shared/types.h"\n')
        (tmp_path / name / "shared/types.h").write_text(f"#define T {value}\n")
    (tmp_path / "game").mkdir()
    project = Project(tmp_path / "game")
    project.simple(f'#include "linked/core.h"\n{SOURCE}')
    project.write("shaders/shared/types.h", "#define T 9\n")  # where the path leads as text
    (project.root / "shaders/linked").symlink_to("../../engine/shaders")
    return project


@EACH_ROAD
def test_an_include_behind_a_link(game: Project, road: list[str]) -> None:
    run = game.python(*road)
    assert run.status == 0, run.err
    assert game.python(*road).compiled == []
    game.write("../engine/shared/types.h", "#define T 6\n")
    assert "FAIL" in game.python(*road).err
    game.write("../engine/shared/types.h", "#define T 4\n")
    link = game.root / "shaders/linked"
    link.unlink()
    link.symlink_to("../../older/shaders")
    run = game.python(*road)
    assert run.status == 0 and "WARN" in run.out + run.err


def put_folder(game: Project) -> None:
    """Replace the symbolic link `shaders/linked` by a folder with equal files, so that `linked/..` is `shaders`."""
    (game.root / "shaders/linked").unlink()
    game.write("shaders/linked/core.h", '#include "../shared/types.h"\n')
    game.write("shaders/shared/types.h", "#define T 4\n")


def put_link(game: Project) -> None:
    """Replace the folder `shaders/linked` by a symbolic link to another project's folder with equal files."""
    shutil.rmtree(game.root / "shaders/linked")
    (game.root / "shaders/linked").symlink_to("../../older/shaders")


@EACH_ROAD
@pytest.mark.parametrize("folders", ["[]", "[linked/../shared]"])
def test_a_folder_that_becomes_a_link_to_an_equal_one(game: Project, road: list[str], folders: str) -> None:
    shader = f"{{ source: a.hlsl, profile: ps_6_0, include_dirs: {folders}, outputs: [spv] }}"
    game.write("config/shaders/a.yaml", f"shaders:\n  - {shader}\n")
    if folders != "[]":
        game.write("shaders/a.hlsl", f"#include <types.h>\n{SOURCE}")
    put_folder(game)
    run = game.python(*road)
    assert run.status == 0 and "WARN" not in run.out + run.err
    time.sleep(AT_REST / 1e9)  # so that the next builds trust the times of files
    for _ in range(2):
        assert game.python(*road).compiled == []
    put_link(game)
    run = game.python(*road)
    assert run.status == 0 and "WARN" in run.out + run.err
    assert game.python(*road).compiled == []


@EACH_ROAD
def test_a_folder_on_the_way_to_a_source_becomes_a_link(game: Project, road: list[str]) -> None:
    game.write("config/shaders/a.yaml", SIMPLE.replace("a.hlsl", "linked/../other/s.hlsl"))
    game.write("shaders/other/s.hlsl", "int a;\n")
    game.write("../older/other/s.hlsl", "int b WARN;\n")
    put_folder(game)
    game.python(*road)
    assert game.python(*road).compiled == []
    put_link(game)
    run = game.python(*road)
    assert run.status == 0 and "WARN" in run.out + run.err


def test_a_folder_on_the_way_to_a_configuration_becomes_a_link(game: Project) -> None:
    game.write("shaders/a.yaml", SIMPLE)
    game.write("../older/a.yaml", SIMPLE.replace("a.hlsl", "b.hlsl"))
    game.write("shaders/b.hlsl", "int b WARN;\n")
    put_folder(game)
    build = ("build", "--config", "shaders/linked/../a.yaml")
    game.tool(*build)
    assert game.tool(*build).compiled == []
    put_link(game)
    assert "WARN" in game.tool(*build).err


def test_a_store_does_not_take_a_folder_for_a_link(game: Project) -> None:
    game.store = str(game.root.parent / "store")
    put_folder(game)
    game.tool("build")
    put_link(game)
    assert "WARN" in game.tool("build").err
    (game.root / "shaders/linked").unlink()
    game.write("shaders/linked/core.h", '#include "../shared/types.h"\n')
    run = game.tool("build")
    assert (run.compiled, "WARN" in run.out) == ([], False)  # out of the store


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_generated_rules_notice_a_folder_that_becomes_a_link(game: Project, system: System) -> None:
    if system.missing:
        pytest.skip(f"needs {system.missing}")
    put_folder(game)
    rules = Rules(game, system)
    system.prepare(rules)
    rules.build()
    assert "WARN" not in rules.said
    rules.build()
    time.sleep(1.1)  # make compares whole seconds on some file systems
    put_link(game)
    rules.build()
    assert "WARN" in rules.said


def test_causes_name_the_folder(game: Project) -> None:
    put_folder(game)
    game.tool("build")
    put_link(game)
    assert "shaders/linked: is no folder any more" in game.tool("why", "a.main").out


@pytest.mark.parametrize(
    ("source", "folders"),
    [
        ("linked/../other/s.hlsl", "[]"),
        ("a.hlsl", "[linked/../shared]"),
        ("a.hlsl", "['./linked/../../engine/shared']"),
    ],
)
def test_sources_and_include_folders_of_configurations(game: Project, source: str, folders: str) -> None:
    game.write("../engine/other/s.hlsl", "#define T 4\n" + SOURCE)
    game.write("shaders/a.hlsl", f"#include <types.h>\n{SOURCE}")
    shader = f"{{ source: {source}, profile: ps_6_0, include_dirs: {folders}, outputs: [spv] }}"
    game.write("config/shaders/a.yaml", f"shaders:\n  - {shader}\n")
    run = game.scons()
    assert run.status == 0, run.out + run.err
    assert game.scons().compiled == []
    assert game.tool("build").compiled == []


def test_a_configuration_behind_a_link(game: Project) -> None:
    game.write("../engine/a.yaml", "shaders: [{ source: a.hlsl, profile: vs_6_0, outputs: [spv] }]\n")
    run = game.tool("build", "--config", "shaders/linked/../a.yaml")
    assert run.status == 0, run.err


def test_a_root_behind_a_link(game: Project) -> None:
    (game.root.parent / "way").symlink_to("game/shaders")
    assert game.tool("build", "--root", "../way/..").status == 0
    assert (game.root / "build/shaders/a.main.spv").exists()


def test_a_folder_that_is_missing(game: Project) -> None:
    game.write("shaders/a.hlsl", '#include "missing/../../../engine/shared/types.h"\n' + SOURCE)
    run = game.tool("build")
    assert "file not found" in run.out + run.err
    (game.root / "shaders/missing").mkdir()
    assert game.tool("build").status == 0


def test_command_line(game: Project) -> None:
    game.write("shaders/a.hlsl", f"#include <types.h>\n{SOURCE}")
    source = "shaders/linked/../../game/shaders/a.hlsl"
    rest = ("-T", "ps_6_0", "-I", "shaders/linked/../shared", "-P")
    assert game.python("-m", "hlsl_tool.cli.dxc", source, *rest).status == 0
    assert "FAIL" not in (game.root / "shaders/a.i").read_text()


def test_the_watcher_notices_a_folder_that_becomes_a_link(game: Project) -> None:
    put_folder(game)
    watching = Watching(game, options=("--events",))
    try:
        watching.event("settled")
        put_link(game)
        watching.event("built")
    finally:
        watching.close()


def test_the_watcher(game: Project) -> None:
    watching = Watching(game, options=("--events",))
    try:
        watching.event("settled")
        game.write("../engine/shared/types.h", "#define T 6\n")
        watching.event("failed")
        game.write("../engine/shared/types.h", "#define T 4\n")
        watching.event("built")
        link = game.root / "shaders/linked"
        link.unlink()
        link.symlink_to("../../older/shaders")
        watching.event("built")
    finally:
        watching.close()
