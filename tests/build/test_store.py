"""Builds with a store: which shaders are compiled, which come from the store, and that the outputs are the same.

The compiler is the real one, because stored results depend on the functions that an entry point reaches.
"""

from __future__ import annotations

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

import pytest

from tests.build.conftest import Project
from tests.unit.build.test_store import Server

COMMON = """\
#pragma once
cbuffer Frame : register(b0) { float4 tint; };
float gamma(float x) { return pow(x, 2.2); }
float luma(float3 c) { return dot(c, float3(0.3, 0.6, 0.1)); }
float unused(float x) { return x * 3; }
"""
SOURCE = """\
#include "common.hlsli"
float4 main(float2 uv : TEXCOORD0) : SV_Target
{
#if MODE == 1
    return gamma(uv.x) * tint;
#else
    return luma(uv.xyx) * tint;
#endif
}
"""
CONFIG = """\
optimize: none
validate: false
outputs: [spv, reflection, dep, bindings]
shaders:
  - { source: a.hlsl, profile: ps_6_0, defines: { MODE: [0, 1, 2] } }
"""
SUMMARY = "shaders: {} built{}, {} up to date, {} failed"


@pytest.fixture
def real(tmp_path: pathlib.Path) -> Project:
    project = Project(tmp_path / "project", fake=False)
    project.store = str(tmp_path / "store")
    project.write("config/shaders/a.yaml", CONFIG)
    project.write("shaders/common.hlsli", COMMON)
    project.write("shaders/a.hlsl", SOURCE)
    return project


def summary(built: int, stored: int = 0, current: int = 0, failed: int = 0) -> str:
    return SUMMARY.format(built, f" ({stored} from the store)" if stored else "", current, failed)


def edit(project: Project, old: str, new: str, name: str = "shaders/common.hlsli") -> None:
    text = (project.root / name).read_text()
    assert old in text
    project.write(name, text.replace(old, new))


@pytest.mark.parametrize("how", ["scons", "tool"])
def test_a_day_with_a_store(real: Project, how: str) -> None:
    def build() -> str:
        run = real.scons() if how == "scons" else real.tool("build")
        assert run.status == 0, run.out + run.err
        return run.summary

    assert build() == summary(3, 1)  # MODE 0 and 2 are the same text
    first = real.outputs()
    assert build() == summary(0, 0, 3)
    shutil.rmtree(real.root / "build")
    (real.root / ".sconsign.dblite").unlink(missing_ok=True)
    assert build() == summary(3, 3)
    assert real.outputs() == first
    edit(real, "#pragma once", "// what all include\n#pragma once")
    assert build() == summary(3, 3)
    edit(real, "x * 3", "x * 4")
    assert build() == summary(3, 3)
    edit(real, "2.2", "2.4")  # only MODE 1 reaches it
    assert build() == summary(3, 2)
    edit(real, "2.4", "2.2")
    assert build() == summary(3, 3)
    edit(real, "pow(x", "pow(nonsense")
    run = real.scons() if how == "scons" else real.tool("build")
    assert run.status == 2
    assert sorted(real.outputs()) == sorted(first)  # the last good ones
    edit(real, "pow(nonsense", "pow(x")
    assert build() in (summary(3, 3), summary(0, 0, 3))


@pytest.mark.parametrize("how", ["tool", "scons"])
def test_a_warm_build_gives_a_server_nothing(real: Project, how: str) -> None:
    server = Server()
    try:
        real.store = server.url
        build = {"tool": lambda: real.tool("build"), "scons": lambda: real.scons()}[how]
        assert build().status == 0
        wanted = real.outputs()
        assert [line for line in server.asked if line.startswith("PUT")]
        for _ in range(2):
            shutil.rmtree(real.root / "build")
            server.asked.clear()
            run = build()
            assert run.status == 0
            assert "from the store" in run.out
            assert real.outputs() == wanted
            assert [line for line in server.asked if line.startswith("PUT")] == []
    finally:
        server.close()


@pytest.mark.parametrize("texts", ["all", "local", "none"])
def test_texts_stay_here_if_they_are_to(real: Project, tmp_path: pathlib.Path, texts: str) -> None:
    server = Server()
    folder = tmp_path / "folder"
    try:
        real.store = f"{folder} {server.url}"
        real.write("config/defaults.yaml", f"store_texts: {texts}\n")
        assert real.tool("build").status == 0
        source = next(path for path in (real.root / "shaders").rglob("*.hlsl")).read_bytes()
        assert any(source in data for data in server.data.values()) == (texts == "all")
        here = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
        assert any(source in content for content in here) == (texts != "none")  # perhaps inside an index entry
    finally:
        server.close()


def test_the_manifest_lists_aliases(real: Project) -> None:
    for build in (real.scons, lambda: real.tool("build")):
        build()
        shaders = json.loads((real.root / "build/shaders/manifest.json").read_text())["shaders"]
        assert [shader.get("alias_of") for shader in shaders] == [None, None, "a.main.MODE=0"]


def test_the_default_store_is_outside_the_output_folder(real: Project) -> None:
    real.store = ""
    real.tool("build")
    assert (real.root / ".hlsl_tool/store/ac").is_dir()
    assert (real.root / ".hlsl_tool/store/.gitignore").read_text() == "*\n"
    assert not list((real.root / "build").rglob("ac"))
    shutil.rmtree(real.root / "build")
    assert real.tool("build").compiled == []
    real.scons()
    real.scons("-c")
    assert not (real.root / ".hlsl_tool/store").exists()


def test_the_store_named_build_is_in_the_output_folder(real: Project) -> None:
    real.store = "build"
    real.tool("build")
    assert (real.root / "build/shaders/.hlsl_tool.store/ac").is_dir()
    real.scons()
    real.scons("-c")
    assert not (real.root / "build/shaders/.hlsl_tool.store").exists()


def test_off(real: Project) -> None:
    real.store = "off"
    assert real.tool("build").summary == summary(3)
    real.store = ""
    real.write("config/defaults.yaml", "store: none\n")
    assert real.tool("build").summary == summary(0, 0, 3)
    assert not list(real.root.rglob(".hlsl_tool*/**/ac"))
    assert not (real.root / ".hlsl_tool").exists()


def test_configured_places(real: Project) -> None:
    real.store = ""
    real.write("config/defaults.yaml", "store: [cache/one, cache/two]\nstore_size: 100M\n")
    assert real.tool("build").status == 0
    assert (real.root / "cache/one/ac").is_dir()
    shutil.rmtree(real.root / "cache/one")
    shutil.rmtree(real.root / "build")
    assert real.tool("build").summary == summary(3, 3)
    assert (real.root / "cache/one/ac").is_dir()  # filled again
    real.write("config/defaults.yaml", "store: ftp://x\n")
    run = real.tool("build")
    assert (run.status, run.err) == (2, "hlsl_tool: error: store: `ftp://x` is no http:// or https:// address\n")
    run = real.scons()
    assert run.status == 2
    assert "Traceback" not in run.err


def test_another_checkout_shares_it(real: Project, tmp_path: pathlib.Path) -> None:
    real.tool("build")
    other = Project(tmp_path / "elsewhere" / "project", fake=False)
    shutil.copytree(real.root, other.root, dirs_exist_ok=True, ignore=shutil.ignore_patterns("build"))
    other.store = real.store
    assert other.tool("build").summary == summary(3, 3)
    assert other.outputs() == real.outputs()


def test_a_store_that_cannot_be_written_is_a_warning(real: Project, tmp_path: pathlib.Path) -> None:
    (tmp_path / "store").write_text("a file")
    run = real.tool("build")
    assert run.status == 0
    assert run.summary == summary(3)
    assert run.err.count("HLSL0906") == 1
    assert "nothing more is stored there" in run.err


def test_verification_finds_what_is_wrong(real: Project, tmp_path: pathlib.Path) -> None:
    real.tool("build")
    good = real.outputs()
    shutil.rmtree(real.root / "build")
    assert real.tool("build", "--verify-cache").summary == summary(3, 3)
    poison(tmp_path / "store")
    shutil.rmtree(real.root / "build")
    run = real.tool("build", "--verify-cache")
    assert run.status == 2
    assert "HLSL0907" in run.err
    assert "other spv (key " in run.err
    for _ in range(3):  # one key after the other is dropped: files, tokens, reach
        run = real.tool("build", "--verify-cache")
    assert run.status == 0
    assert real.outputs() == good


def poison(store: pathlib.Path) -> None:
    """Replace the module of every stored result by another one, with valid index entries."""
    from hlsl_tool.project.build.store.directory import Directory
    from hlsl_tool.project.build.store.results import Store

    opened = Store([Directory(str(store))])
    for path in list((store / "ac").rglob("*")):
        found = opened.get(path.name) if path.is_file() else None
        if found is not None and "spv" in found.blobs:
            words = found.blobs["spv"]
            found.blobs["spv"] = words[:8] + b"\1\2\3\4" + words[12:]  # another generator's
            opened.put(path.name, found)


def test_two_builds_at_once(real: Project, tmp_path: pathlib.Path) -> None:
    other = Project(tmp_path / "other", fake=False)
    shutil.copytree(real.root, other.root, dirs_exist_ok=True)
    command = [sys.executable, "-m", "hlsl_tool", "build", "-j", "2"]
    running = [
        subprocess.Popen(command, cwd=p.root, env=real.environment(), stdout=subprocess.DEVNULL) for p in (real, other)
    ]
    assert [each.wait() for each in running] == [0, 0]
    assert real.outputs() == other.outputs()
    real.store = "off"
    shutil.rmtree(real.root / "build")
    real.tool("build")
    assert real.outputs() == other.outputs()


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_a_build_that_is_killed_leaves_a_good_store(real: Project) -> None:
    chance = random.Random(5)
    for _ in range(int(os.environ.get("KILLS", "2"))):
        command = [sys.executable, "-m", "hlsl_tool", "build"]
        building = subprocess.Popen(command, cwd=real.root, env=real.environment(), stdout=subprocess.DEVNULL)
        time.sleep(0.3 + chance.random() * 0.6)
        building.kill()
        building.wait()
    assert real.tool("build", "--verify-cache").status == 0
    outputs = real.outputs()
    shutil.rmtree(real.root / "build")
    real.store = "off"
    real.tool("build")
    assert {name: data for name, data in outputs.items() if "tmp" not in name} == real.outputs()


# ---------------------------------------------------------------------------------------------------------------- why


def why(project: Project, name: str = "a.main.MODE=1") -> list[str]:
    run = project.tool("why", name)
    assert run.status == 0, run.err
    return [line.strip() for line in run.out.splitlines()]


def test_why(real: Project) -> None:
    name = "a.main.MODE=1"
    assert why(real) == [f"{name}: out of date", "no earlier build is recorded"]
    real.tool("build")
    assert why(real) == [f"{name}: up to date; why it was built:", "no earlier build is recorded"]
    edit(real, "2.2", "2.4")
    edit(real, "#pragma once", "#pragma once // and a comment\n#define NEW 1")
    expected = ["shaders/common.hlsli: function `gamma` was changed", "shaders/common.hlsli: macro `NEW` is new"]
    assert why(real) == [f"{name}: out of date", *expected]
    run = real.scons("--debug=explain")
    assert "  because shaders/common.hlsli: function `gamma` was changed\n" in run.out
    assert why(real) == [f"{name}: up to date; why it was built:", *expected]
    edit(real, "// and a comment", "")
    white = "shaders/common.hlsli: comments, white space or line breaks were changed"
    assert why(real) == [f"{name}: out of date", white]
    real.tool("build")
    edit(real, "validate: false", "validate: false\nlayout: scalar", "config/shaders/a.yaml")
    assert why(real) == [f"{name}: out of date", 'option layout: the default → "scalar"']
    edit(real, "MODE: [0, 1, 2]", "MODE: [0, 1, 2], EXTRA: 5", "config/shaders/a.yaml")
    assert "macro `EXTRA` is new" in why(real)
    real.tool("build")
    (real.root / "build/shaders/a.main.MODE=1.spv").unlink()
    assert why(real)[1:] == ["build/shaders/a.main.MODE=1.spv: is gone"]
    run = real.tool("why", "nothing")
    assert (run.status, run.err) == (2, "hlsl_tool: error: no shader is called `nothing`\n")


def test_why_another_tool(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.simple()
    monkeypatch.setenv("FAKE_FINGERPRINT", "compiler 1; spirv-opt v1")
    project.tool("build")
    monkeypatch.setenv("FAKE_FINGERPRINT", "compiler 1; spirv-opt v2")
    assert project.tool("why", "a.hlsl").out.splitlines()[1:] == ["  spirv-opt: another version (v1 → v2)"]
    project.write("shaders/a.hlsl", "float y;")  # without a store it ends with the file
    assert "  shaders/a.hlsl: was changed" in project.tool("why", "a.hlsl").out.splitlines()


CAUSES = [
    ("shaders/common.hlsli", "2.2", "2.4", "shaders/common.hlsli: function `gamma` was changed"),
    ("shaders/common.hlsli", "float unused", "float renamed", "shaders/common.hlsli: function `renamed` is new"),
    ("shaders/common.hlsli", "float4 tint;", "float4 tint, b;", "shaders/common.hlsli: cbuffer `Frame` was changed"),
    ("shaders/common.hlsli", "#pragma once", "#pragma once\n#define L 1", "shaders/common.hlsli: macro `L` is new"),
    ("shaders/a.hlsl", "#else", "#elif 1", "shaders/a.hlsl: directive `#else` is gone"),
    ("config/shaders/a.yaml", "MODE: [0", "K: 5, MODE: [0", "macro `K` is new"),
    ("config/shaders/a.yaml", "optimize: none", "optimize: none\nlayout: gl", 'option layout: the default → "gl"'),
    ("spirv-opt", "# 1", "# 2", "spirv-opt: another build (v2023.1 "),
    ("spirv-val", "v2023.1", "v2024.2", "spirv-val: another version (v2023.1 → v2024.2)"),
]


@pytest.mark.skipif(sys.platform == "win32", reason="the tools are shell scripts")
def test_why_and_explain_name_the_same(real: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    for tool in ("spirv-opt", "spirv-val"):
        path = real.write(tool, "#!/bin/sh\necho SPIRV-Tools v2023.1  # 1\n")
        path.chmod(0o755)
        monkeypatch.setenv(tool.upper().replace("-", "_"), str(path))
    real.scons()
    for name, old, new, _ in CAUSES:
        edit(real, old, new, name)
    told = why(real, "a.hlsl")
    explained = real.scons("--debug=explain").out
    for _, _, _, cause in CAUSES:
        [line] = {line for line in told if line.startswith(cause)}
        assert f"  because {line}\n" in explained


@pytest.mark.parametrize("count", ["0", "-1", "x", ""])
def test_a_number_of_workers_that_is_none(real: Project, count: str) -> None:
    for verb in ("build", "watch", "bindings"):
        run = real.tool(verb, f"-j{count}" if count else "-j=")
        assert run.status == 2
        assert "is no number above 0" in run.err
        assert "Traceback" not in run.err


# -------------------------------------------------------------------------------------------------------- store verbs


def test_stats_gc_clear(real: Project, tmp_path: pathlib.Path) -> None:
    run = real.tool("store", "stats")
    assert (run.status, run.out) == (0, f"{tmp_path / 'store'}: empty\n")
    real.tool("build")
    run = real.tool("store", "stats")
    assert "results" in run.out
    run = real.tool("store", "gc", "--size", "4K")
    assert (run.status, "removed" in run.out) == (0, True)
    real.tool("build")
    assert real.tool("store", "clear").status == 0
    assert not (tmp_path / "store").exists()
    real.store = "off"
    assert real.tool("store", "stats").out == "no store\n"
    assert real.tool("store", "gc", "--size", "x").status == 2
