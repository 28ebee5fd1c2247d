"""Diagnostics as data: lines on the standard error, or one whole document on the standard output or in a file."""

from __future__ import annotations

import json
import pathlib

import pytest

from tests.build.conftest import Project

CONFIG = """\
validate: false
outputs: [spv]
shaders:
  - source: lit.hlsl
    entries: [{ entry: PSMain, profile: ps_6_0 }]
    defines: { HIGH: [0, 1] }
  - { source: other.hlsl, profile: ps_6_0, entry: PSMain }
"""
WARNS = "float4 PSMain(float4 c : C) : SV_Target\n{\n    float3 t = c;\n    return t.xyzz;\n}\n"


@pytest.fixture
def warned(tmp_path: pathlib.Path) -> Project:
    """Return a project with a warning in two permutations, and another in one shader."""
    project = Project(tmp_path, fake=False)
    project.write("config/shaders/lit.yaml", CONFIG)
    project.write("shaders/lit.hlsl", WARNS)
    project.write("shaders/other.hlsl", WARNS.replace("float3 t", "\n    float3 t"))
    return project


def found(text: str) -> list[tuple[str, int, int]]:
    """Return (file, line, number of permutations) of each diagnostic of a json document."""
    return [
        (pathlib.Path(d["location"]["file"]).name, d["location"]["line"], len(d["occurrences"]))
        for d in json.loads(text)["diagnostics"]
    ]


ALL = [("lit.hlsl", 3, 2), ("other.hlsl", 4, 1)]


def test_text_goes_to_the_standard_error(warned: Project) -> None:
    run = warned.tool("build")
    assert (run.status, "warning" in run.out, run.err.count("warning: ")) == (0, False, 2)
    assert "shaders: 3 built" in run.out
    assert warned.tool("build").err == ""


def test_a_document_is_whole_whatever_is_built(warned: Project) -> None:
    first = warned.tool("build", "--diagnostics", "json")
    assert found(first.out) == ALL
    assert "shaders: 3 built" in first.err
    assert warned.tool("build", "--diagnostics", "json").out == first.out
    warned.write("shaders/other.hlsl", WARNS)
    assert found(warned.tool("build", "--diagnostics", "json").out) == [ALL[0], ("other.hlsl", 3, 1)]
    warned.write("shaders/other.hlsl", WARNS.replace("return", "retrun"))
    run = warned.tool("build", "--diagnostics", "json")
    assert run.status == 2
    assert found(run.out) == [ALL[0], ("other.hlsl", 3, 1), ("other.hlsl", 4, 1)]
    assert found(warned.tool("build", "--diagnostics", "json", "lit.hlsl").out) == ALL[:1]


def test_a_document_in_a_file(warned: Project) -> None:
    for _ in range(2):
        run = warned.tool("build", "--diagnostics", "sarif", "--output", "messages.sarif")
        assert "shaders: " in run.out
        content = json.loads((warned.root / "messages.sarif").read_text())
        assert len(content["runs"][0]["results"]) == 2
        (warned.root / "messages.sarif").unlink()


def test_results_of_the_store_have_their_diagnostics(warned: Project) -> None:
    assert warned.tool("build", "--store", "results").status == 0
    for name in (warned.root / "build/shaders").iterdir():
        name.unlink()
    run = warned.tool("build", "--store", "results", "--diagnostics", "json")
    assert "(3 from the store)" in run.err
    assert found(run.out) == ALL


def test_errors_of_configurations_are_in_the_document(warned: Project) -> None:
    warned.write("config/shaders/lit.yaml", CONFIG + "    optimise: size\n")
    for verb in (["build"], ["lint"], ["config", "check"], ["report", "times"], ["why", "lit"]):
        run = warned.tool(*verb, "--diagnostics", "json")
        assert (run.status, run.err) == (2, ""), verb
        (error,) = json.loads(run.out)["diagnostics"]
        assert error["location"]["file"] == "config/shaders/lit.yaml"


def test_lint_and_config_check(warned: Project) -> None:
    run = warned.tool("lint", "--diagnostics", "json", "--output", "lints.json")
    assert run.status == 0
    assert json.loads((warned.root / "lints.json").read_text())["format"] == 1
    run = warned.tool("config", "check", "--diagnostics", "json")
    assert (run.status, json.loads(run.out)["diagnostics"]) == (0, [])


@pytest.mark.parametrize("nodes", ["single", "set"])
def test_a_document_of_scons_is_whole(warned: Project, nodes: str) -> None:
    path = warned.root / "messages.json"
    texts = []
    for summary in ("3 built, 0 up to date", "0 built, 3 up to date"):
        run = warned.scons(f"scons_nodes={nodes}", "diagnostics=json", "diagnostics_output=messages.json")
        assert (run.status, run.summary) == (0, f"shaders: {summary}, 0 failed"), run.out + run.err
        assert "messages: messages.json\n" in run.out
        texts.append(path.read_text())
        path.unlink()
    assert found(texts[0]) == ALL
    assert texts[0] == texts[1]
    run = warned.scons("-Q", "-s", f"scons_nodes={nodes}", "diagnostics=json", "diagnostics_output=-")
    assert run.out == texts[0]


def test_a_document_of_scons_has_the_errors_of_configurations(warned: Project) -> None:
    warned.write("config/shaders/lit.yaml", CONFIG + "    optimise: size\n")
    run = warned.scons("diagnostics=json", "diagnostics_output=messages.json")
    assert (run.status, run.err) == (2, "")
    (error,) = json.loads((warned.root / "messages.json").read_text())["diagnostics"]
    assert error["location"]["file"] == "config/shaders/lit.yaml"


def test_a_document_has_the_warnings_of_link_checks(tmp_path: pathlib.Path) -> None:
    project = Project(tmp_path, fake=False)
    project.write(
        "config/shaders/lit.yaml",
        "validate: false\noutputs: [spv]\nshaders:\n  - source: lit.hlsl\n"
        "    entries: [{ entry: VSMain, profile: vs_6_0 }, { entry: PSMain, profile: ps_6_0 }]\n",
    )
    project.write(
        "shaders/lit.hlsl",
        "struct V { float4 p : SV_Position; float4 a : A; float4 b : B; };\n"
        "struct P { float4 p : SV_Position; float4 b : B; float4 a : A; };\n"
        "V VSMain() { return (V)1; }\nfloat4 PSMain(P p) : SV_Target { return p.a + p.b; }\n",
    )
    first = project.tool("build", "--diagnostics", "json")
    assert json.loads(first.out)["diagnostics"], first.err
    for road in (project.tool("build", "--diagnostics", "json"), project.scons("-Q", "-s", "diagnostics=json",
                 "diagnostics_output=-")):  # fmt: skip
        assert road.out == first.out


def test_a_watch_has_events_in_place_of_a_document(warned: Project) -> None:
    run = warned.tool("watch", "--diagnostics", "json")
    assert (run.status, run.err) == (
        2,
        "hlsl_tool: error: --diagnostics json: a watch has no end; `--events` has its results as data\n",
    )
