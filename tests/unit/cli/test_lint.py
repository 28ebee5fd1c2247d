"""`hlsl_tool lint`: lints of all permutations, and lints about all shaders together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hlsl_tool.cli.__main__ import run

SHADER = """\
#include "common.hlsli"
Texture2D color, never;
SamplerState smp;
#if MODE
#define SCALE 2
#else
#define SCALE 1
#endif
struct Input { float2 uv : TEXCOORD0; float3 normal : NORMAL; };
float4 PSMain(Input i) : SV_Target {
    if (i.uv.x > 0.5)
        return color.Sample(smp, i.uv) * SCALE;
    return 0;
}
"""
OTHER = """\
#include "common.hlsli"
RWStructuredBuffer<float> values;
[numthreads(1, 1, 1)] void CSMain() { values[0] = common_used[0]; }
"""
COMMON = "Buffer<float> common_used;\nBuffer<float> common_unused;\n"
LIT = """\
shaders:
  - source: lit.hlsl
    entries:
      - entry: PSMain
        profile: ps_6_0
        defines: { MODE: [0, 1], DEAD: [0, 1, 2] }
"""
FILL = "shaders:\n  - { source: fill.hlsl, entries: [{ entry: CSMain, profile: cs_6_0 }] }\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the root of a project with six permutations of a shader, and another shader."""
    files = {
        "shaders/lit.hlsl": SHADER,
        "shaders/fill.hlsl": OTHER,
        "shaders/common.hlsli": COMMON,
        "config/shaders/lit.yaml": LIT,
        "config/shaders/fill.yaml": FILL,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def codes(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> list[tuple[str, int, str, int]]:
    """Return (file, line, code, number of permutations) of each finding."""
    assert run(["lint", "--diagnostics", "json", *arguments]) == status
    document = json.loads(capsys.readouterr().out)
    return [
        (Path(d["location"]["file"]).name, d["location"]["line"], d["code"], len(d.get("occurrences", ())))
        for d in document["diagnostics"]
    ]


SAMPLE = ("lit.hlsl", 12, "HLSL1701", 6)
OF_SETS = [
    ("common.hlsli", 2, "HLSL1713", 0),
    ("lit.hlsl", 2, "HLSL1713", 0),
    ("lit.hlsl", 9, "HLSL1714", 0),
    ("lit.yaml", 4, "HLSL1715", 0),
]


def test_findings(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert codes(capsys) == [SAMPLE, *OF_SETS]
    assert not list(project.rglob("*.spv"))


def test_text(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lint"]) == 0
    out, text = capsys.readouterr()
    assert text.count("[HLSL1701]") == 1
    assert "in all 6 permutations of lit.PSMain" in text
    assert "'never' (Texture2D<float4>) is unused in every shader that declares it (6)" in text
    assert "all values of 'DEAD' give the same modules: 4 permutations of 'lit' are compiled in vain" in text
    assert "MODE" not in text.replace("#if MODE", "")
    assert out == "lints: 5 findings in 7 shaders\n"


def test_processes_give_the_same(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert codes(capsys, "-j", "2") == [SAMPLE, *OF_SETS]


def test_annotations(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lint", "--diagnostics", "github"]) == 0
    assert len([line for line in capsys.readouterr().err.splitlines() if line.startswith("::warning")]) == 5


def test_sarif(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lint", "--diagnostics", "sarif"]) == 0
    (log,) = json.loads(capsys.readouterr().out)["runs"]
    assert len(log["results"]) == 5


def test_a_part_of_the_project_leaves_included_files_out(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert codes(capsys, "config/shaders/lit.yaml") == [SAMPLE, *OF_SETS[1:]]
    assert codes(capsys, "config/shaders/fill.yaml") == []


def test_a_choice_of_lints(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert codes(capsys, "--only", "divergent-sample") == [SAMPLE]
    assert codes(capsys, "--disable", "divergent-sample") == OF_SETS
    assert codes(capsys, "--only", "dead-axis", "--only", "unused-semantic") == OF_SETS[2:]


def test_the_configuration_turns_lints_off(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configuration = project / "config/shaders/lit.yaml"
    configuration.write_text("warnings: [no-unused-resource, no-divergent-sample]\n" + LIT)
    assert [code for *_, code, _ in codes(capsys, "config/shaders/lit.yaml")] == ["HLSL1714", "HLSL1715"]


def test_status(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    codes(capsys, "--werror", status=1)
    codes(capsys, "--werror", "config/shaders/fill.yaml")


def test_errors_are_shown(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "shaders/fill.hlsl").write_text("[numthreads(1, 1, 1)] void CSMain() { missing(); }")
    found = codes(capsys, status=2)
    assert [(file, line) for file, line, _, _ in found] == [("fill.hlsl", 1), SAMPLE[:2]]


def test_unknown_names(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lint", "--only", "dead-axes"]) == 2
    assert "no lint is called `dead-axes`" in capsys.readouterr().err
    assert run(["lint", "--only", ""]) == 2
    assert "no lint is called ``" in capsys.readouterr().err


def test_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lint", "--list"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert {"divergent-sample", "dead-axis", "padding"} <= set(names)
    assert len(names) == len(set(names))


def test_padding_on_demand(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "shaders/fill.hlsl").write_text("cbuffer C { float a; float3 b; float2 c; float4 d; };\n" + OTHER)
    assert {code for *_, code, _ in codes(capsys, "--only", "padding")} == {"HLSL0860"}
