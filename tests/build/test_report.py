"""`hlsl_tool report` on built projects: the sizes of shaders, and comparisons with a folder or a snapshot."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.build.conftest import Project

CONFIG = "shaders: [{ source: a.hlsl, profile: ps_6_0, defines: { X: [0, 1] } }]\n"
SMALL = "float4 main(float4 c : C) : SV_Target { return c; }\n"
LARGE = "float4 main(float4 c : C) : SV_Target { return sqrt(c) * sin(c) + X; }\n"


@pytest.fixture
def built(project: Project) -> Project:
    project.fake = False
    project.write("config/shaders/a.yaml", CONFIG)
    project.write("shaders/a.hlsl", SMALL)
    assert project.tool("build").status == 0
    return project


def test_against_a_folder_and_a_snapshot(built: Project) -> None:
    shutil.copytree(built.root / "build", built.root / "old")
    assert built.tool("report", "--save", "old.json").status == 0
    for old in ("old/shaders", "old/shaders/manifest.json", "old.json"):
        run = built.tool("report", "--against", old)
        assert (run.status, run.out.splitlines()[-1]) == (0, "no regression: 0 of 2 shaders changed")
    built.write("shaders/a.hlsl", LARGE)
    assert built.tool("build").status == 0
    for old in ("old/shaders", "old.json"):
        run = built.tool("report", "--against", old, "--max-growth", "5%")
        assert run.status == 1
        assert "REGRESSION: bytes, instructions" in run.out
        assert built.tool("report", "--against", old, "--max-growth", "900%").status == 0
    run = built.tool("report", "--against", "old.json", "--format", "json", "-o", "report.json")
    assert (run.status, run.out) == (1, "")
    assert json.loads((built.root / "report.json").read_text())["ok"] is False
    assert built.tool("report", "--against", "old.json", "--format", "markdown").out.startswith("**regression")


def test_the_report_lists_the_sizes_of_shaders(built: Project) -> None:
    *lines, gap, coverage = built.tool("report").out.splitlines()
    assert gap == ""
    assert coverage.endswith(" lines are compiled by 2 of 2 permutations; 0 lines by none")
    assert [line.split()[0] for line in lines] == ["bytes", "a.main.X=0", "a.main.X=1", "total"]
    assert set(json.loads(built.tool("report", "--format", "json").out)["shaders"]) == {"a.main.X=0", "a.main.X=1"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--against", "nowhere"), "cannot read `nowhere`"),
        (("--against", "config"), "no manifest and no .spv"),
        (("--against", "build/shaders", "--max-growth", "much"), "no percentage"),
        (("--against", "build/shaders", "--metric", "beauty"), "none of bytes"),
        (("--build", "config/shaders/a.yaml"), "neither a snapshot nor a manifest"),
        (("--save", "build"), "cannot write `build`"),
        (("--root", "nowhere"), "there is no folder"),
    ],
)
def test_wrong_arguments_are_refused(built: Project, words: tuple[str, ...], said: str) -> None:
    run = built.tool("report", *words)
    assert run.status == 2
    assert said in run.err
    assert "Traceback" not in run.err
