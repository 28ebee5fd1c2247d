"""The watcher and changes on disk: deleted and new folders, branch switches, links, missing files, polling."""

from __future__ import annotations

import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile

import pytest

from tests.build.conftest import Project
from tests.build.watching import Watching

CONFIG = """\
shaders:
  - source: a.hlsl
    profile: ps_6_0
    outputs: [spv]
    include_dirs: [inc]
  - source: b.hlsl
    profile: ps_6_0
    outputs: [spv]
"""
OPTIONS = {"events": (), "poll": ("--poll", "0.05"), "several": ("-j2",)}


@pytest.fixture(params=("events", "poll"))
def options(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return OPTIONS[request.param]


@pytest.fixture(params=OPTIONS)
def all_options(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return OPTIONS[request.param]


@pytest.fixture
def ready(project: Project) -> Project:
    project.write("config/shaders/all.yaml", CONFIG)
    project.write("shaders/a.hlsl", '#include "deep/er/h.h"\n')
    project.write("shaders/inc/deep/er/h.h", "int a;\n")
    project.write("shaders/b.hlsl", "int b;\n")
    return project


@pytest.fixture
def start(ready: Project):
    started = []

    def starter(*options: str) -> Watching:
        started.append(Watching(ready, options=("--events", *options)))
        started[-1].told = len(started[-1].events)  # those of the first build
        return started[-1]

    yield starter
    for watching in started:
        watching.close()


def clean_outputs(project: Project, tmp: pathlib.Path) -> dict[str, bytes]:
    """Return path → content of the outputs of a clean build."""
    other = Project(tmp)
    for name in ("config", "shaders"):
        shutil.copytree(project.root / name, tmp / name, dirs_exist_ok=True, symlinks=True)
    run = other.tool("build")
    assert run.status == 0, run.out + run.err
    return other.outputs()


def test_a_folder_goes_and_comes_back(ready: Project, start, all_options: tuple[str, ...]) -> None:
    watching = start(*all_options)
    shutil.rmtree(ready.root / "shaders/inc")
    watching.event("failed", "a.main")
    ready.write("shaders/inc/deep/er/h.h", "int other;\n")
    watching.event("built", "a.main")
    ready.write("shaders/inc/deep/er/h.h", "int again;\n")  # the new folder is watched as the old one was
    watching.event("built", "a.main")


def test_a_folder_takes_the_place_of_another(ready: Project, start, options: tuple[str, ...]) -> None:
    watching = start(*options)
    ready.write("elsewhere/deep/er/h.h", "int moved;\n")
    os.rename(ready.root / "shaders/inc", ready.root / "old")
    os.rename(ready.root / "elsewhere", ready.root / "shaders/inc")
    while watching.event("settled")["failing"]:
        continue
    assert ready.outputs()["build/shaders/a.main.spv"] != b""
    ready.write("shaders/inc/deep/er/h.h", "int edited;\n")
    watching.event("built", "a.main")
    ready.write("old/deep/er/h.h", "int nobody;\n")
    ready.write("shaders/b.hlsl", "int marker;\n")
    watching.event("built", "b.main")
    assert watching.events[-1]["event"] in ("built", "settled")
    assert all(event.get("name") != "a.main" for event in watching.events[watching.told :])


def test_the_folder_of_all_sources_goes_and_comes_back(ready: Project, start, options: tuple[str, ...]) -> None:
    watching = start(*options)
    before = ready.outputs()
    os.rename(ready.root / "shaders", ready.root / "away")
    while set(watching.event("settled")["failing"]) != {"a.main", "b.main"}:
        continue
    os.rename(ready.root / "away", ready.root / "shaders")
    while watching.event("settled")["failing"]:
        continue
    assert ready.outputs() == before
    ready.write("shaders/b.hlsl", "int later;\n")
    assert watching.event("built", "b.main")["changed"] == ["spv"]


def test_a_missing_header_appears_in_folders_that_are_missing(ready: Project, start, options: tuple[str, ...]) -> None:
    watching = start(*options)
    ready.write("shaders/b.hlsl", '#include "x/y/z/late.h"\n')
    failed = watching.event("failed", "b.main")
    assert "late.h" in failed["diagnostics"][0]["message"]
    ready.write("shaders/x/y/z/late.h", "int late;\n")
    watching.event("built", "b.main")


def test_a_nearer_header_takes_over_and_lets_go(ready: Project, start, options: tuple[str, ...]) -> None:
    watching = start(*options)
    before = ready.outputs()
    ready.write("shaders/deep/er/h.h", "int nearer;\n")
    watching.event("built", "a.main")
    shutil.rmtree(ready.root / "shaders/deep")
    watching.event("built", "a.main")
    assert ready.outputs() == before


def test_a_source_is_renamed_and_renamed_back(ready: Project, start, options: tuple[str, ...]) -> None:
    watching = start(*options)
    source = ready.root / "shaders/b.hlsl"
    source.rename(source.with_suffix(".old"))
    assert "b.hlsl" in watching.event("failed", "b.main")["diagnostics"][0]["message"]
    source.with_suffix(".old").rename(source)
    assert watching.event("built", "b.main")["changed"] == []


def test_the_first_build_fails(ready: Project, start, options: tuple[str, ...]) -> None:
    ready.write("shaders/inc/deep/er/h.h", "FAIL\n")
    watching = start(*options)
    assert [event["name"] for event in watching.events if event["event"] == "failed"] == ["a.main"]
    ready.write("shaders/inc/deep/er/h.h", "int good;\n")
    watching.event("built", "a.main")
    assert (ready.root / "build/shaders/a.main.spv").exists()


def test_there_is_no_configuration_yet(ready: Project, start, options: tuple[str, ...]) -> None:
    config = ready.root / "config/shaders"
    config.rename(ready.root / "later")
    config.parent.rmdir()
    watching = start(*options)
    assert [event["ok"] for event in watching.events if event["event"] == "config"] == [False]
    config.parent.mkdir()
    (ready.root / "later").rename(config)
    watching.event("built", "a.main")


def test_the_configuration_is_broken_and_shaders_are_built_all_the_same(
    ready: Project, start, options: tuple[str, ...]
) -> None:
    watching = start(*options)
    ready.write("config/shaders/all.yaml", CONFIG + "  - nonsense\n")
    assert watching.event("config")["ok"] is False
    ready.write("shaders/b.hlsl", "int while_it_is_broken;\n")
    watching.event("built", "b.main")
    ready.write("config/shaders/all.yaml", CONFIG + "    defines: { X: 1 }\n")
    watching.event("built", "b.main")


def test_a_source_that_the_configuration_names_comes_later(ready: Project, start, options: tuple[str, ...]) -> None:
    watching = start(*options)
    ready.write("config/shaders/all.yaml", CONFIG + "  - { source: new/c.hlsl, profile: ps_6_0 }\n")
    assert watching.event("config")["ok"] is False
    ready.write("shaders/new/c.hlsl", "int c;\n")
    watching.event("built", "new/c.main")


def test_files_that_a_pattern_finds_come_and_go(ready: Project, start, options: tuple[str, ...]) -> None:
    ready.write(
        "config/shaders/all.yaml",
        """\
        shaders:
          - { source: '**/*.hlsl', profile: ps_6_0, include_dirs: [inc] }
        """,
    )
    watching = start(*options)
    ready.write("shaders/more/c.hlsl", "int c;\n")
    watching.event("built", "more/c.main")
    (ready.root / "shaders/b.hlsl").unlink()
    assert watching.event("removed", "b.main")["outputs"]["spv"] == "build/shaders/b.main.spv"
    ready.write("shaders/more/c.hlsl", "int d;\n")
    watching.event("built", "more/c.main")


@pytest.mark.skipif(os.name == "nt", reason="links want rights there")
def test_a_change_of_a_link_target_is_noticed(ready: Project, start, options: tuple[str, ...]) -> None:
    real = ready.write("outside/real.h", "int one;\n")
    link = ready.root / "shaders/inc/deep/er/h.h"
    link.unlink()
    link.symlink_to(real)
    watching = start(*options)
    real.write_text("int two;\n")
    watching.event("built", "a.main")


def test_an_edit_while_it_is_compiled(ready: Project, start, all_options: tuple[str, ...]) -> None:
    watching = start(*all_options)
    ready.write("shaders/b.hlsl", "int SLEEP;\n")
    while not (watching.log.exists() and "b.hlsl" in watching.log.read_text()):
        assert watching.process.poll() is None
    ready.write("shaders/b.hlsl", "int after;\n")
    watching.event("settled")
    while (ready.root / "build/shaders/b.main.spv").read_bytes() != expected(ready, "b.main"):
        watching.event("settled")


def expected(project: Project, name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return clean_outputs(project, pathlib.Path(folder))[f"build/shaders/{name}.spv"]


def git(project: Project, *words: str) -> None:
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *words], cwd=project.root, check=True, capture_output=True)


@pytest.mark.slow
def test_branches(ready: Project, start, tmp_path_factory: pytest.TempPathFactory, options: tuple[str, ...]) -> None:
    """After a branch switch, the watcher's outputs equal those of a clean build.

    The switch changes headers, sources and the configuration, which fit together only at its end.
    """
    entries = ["shaders:"]
    for number in range(20):
        entries.append(f"  - {{ source: many/s{number}.hlsl, profile: ps_6_0, outputs: [spv], include_dirs: [inc] }}")
        ready.write(f"shaders/many/s{number}.hlsl", '#include "only/main.h"\n')
    ready.write("shaders/inc/only/main.h", "int of_main;\n")
    ready.write("config/shaders/all.yaml", "\n".join(entries) + "\n")
    ready.write(".gitignore", "build\ncompiled.log\n.sconsign*\n")
    git(ready, "init", "-q", "-b", "main")
    git(ready, "add", ".")
    git(ready, "commit", "-q", "-m", "main")
    git(ready, "checkout", "-q", "-b", "other")
    shutil.rmtree(ready.root / "shaders/inc/only")
    ready.write("shaders/inc/of/other.h", "int of_other;\n")
    for number in range(20):
        (ready.root / f"shaders/many/s{number}.hlsl").unlink()
        ready.write(f"shaders/many/t{number}.hlsl", '#include "of/other.h"\n')
    ready.write("config/shaders/all.yaml", "\n".join(entries).replace("many/s", "many/t") + "\n")
    git(ready, "add", "-A")
    git(ready, "commit", "-q", "-m", "other")
    watching = start(*options)
    for branch, first in (("main", "many/s0.main"), ("other", "many/t0.main"), ("main", "many/s0.main")):
        git(ready, "checkout", "-q", branch)
        while first not in plan_of(watching) or watching.event("settled")["failing"]:
            continue
        ready.write(f"shaders/{first.removesuffix('.main')}.hlsl", '#include "of/other.h"\n#include "only/main.h"\n')
        watching.event("failed", first)
        git(ready, "checkout", "-q", "--", "shaders")
        while watching.event("settled")["failing"]:
            continue
        wanted = clean_outputs(ready, tmp_path_factory.mktemp("clean"))
        found = ready.outputs()
        assert {name: found.get(name) for name in wanted} == wanted


def plan_of(watching: Watching) -> set[str]:
    text = (watching.project.root / "build/shaders/manifest.json").read_text()
    return {shader["name"] for shader in json.loads(text)["shaders"]}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_random_edits_come_to_what_a_clean_build_does(
    ready: Project, start, tmp_path_factory: pytest.TempPathFactory, all_options: tuple[str, ...], seed: int
) -> None:
    random_ = random.Random(seed)
    ready.write("shaders/inc/deep/er/i.h", "int i;\n")
    ready.write("shaders/a.hlsl", '#include "deep/er/h.h"\n#include "deep/er/i.h"\n')
    watching = start(*all_options)
    names = ["inc/deep/er/h.h", "inc/deep/er/i.h", "deep/er/h.h", "b.hlsl", "a.hlsl"]
    heads = {"a.hlsl": '#include "deep/er/h.h"\n#include "deep/er/i.h"\n'}
    for number in range(15):
        name = random_.choice(names)
        path = ready.root / "shaders" / name
        text = heads.get(name, "") + f"int v{random_.randrange(4)};\n"
        kind = random_.choice(["write", "move", "remove", "touch", "folder", "fail"])
        if kind == "write":
            ready.write(f"shaders/{name}", text)
        elif kind == "move":
            other = ready.write(f"shaders/{name}.tmp", text)
            os.replace(other, path)
        elif kind == "remove":
            path.unlink(missing_ok=True)
        elif kind == "touch" and path.exists():
            path.touch()
        elif kind == "fail":
            ready.write(f"shaders/{name}", "FAIL\n")
        elif kind == "folder":
            shutil.rmtree(ready.root / "shaders/inc", ignore_errors=True)
        if number % 5 == 4:
            for again in ("inc/deep/er/h.h", "inc/deep/er/i.h", "a.hlsl", "b.hlsl"):
                if not (ready.root / "shaders" / again).exists() or random_.random() < 0.5:
                    ready.write(f"shaders/{again}", heads.get(again, "") + f"int w{random_.randrange(4)};\n")
                elif "FAIL" in (ready.root / "shaders" / again).read_text():
                    ready.write(f"shaders/{again}", heads.get(again, "") + "int repaired;\n")
            if (ready.root / "shaders/deep/er/h.h").exists():
                ready.write("shaders/deep/er/h.h", "int near;\n")
            marker = f"int marker{number};\n"
            ready.write("shaders/b.hlsl", marker)
            wanted = clean_outputs(ready, tmp_path_factory.mktemp("clean"))
            while ready.outputs() != wanted:
                watching.event("settled")
