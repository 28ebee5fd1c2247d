"""Select shaders by name on the command line: by output, entry point, source or pattern.

The error for an unknown name lists similar ones.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hlsl_tool.cli.__main__ import run

CONFIGURATION = """shaders:
  - source: lit/pbr.hlsl
    target_env: vulkan1.1
    entries: [{ entry: VSMain, profile: vs_6_0 }, { entry: PSMain, profile: ps_6_0, defines: { N: [1, 2] } }]
  - source: sky.hlsl
    entries: [{ entry: PSMain, profile: ps_6_0 }]
"""
SHADER = """float4 VSMain() : SV_Position { return 1; }
float4 PSMain() : SV_Target { return 1; }
"""
PBR = ["lit/pbr.VSMain", "lit/pbr.PSMain.N=1", "lit/pbr.PSMain.N=2"]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in (("config/shaders/a.yaml", CONFIGURATION), ("shaders/lit/pbr.hlsl", SHADER)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "shaders/sky.hlsl").write_text(SHADER)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("names", "shaders"),
    [
        (["lit/*"], PBR),
        (["*.PSMain*"], [*PBR[1:], "sky.PSMain"]),
        (["*.N=[12]"], PBR[1:]),
        (["PS*"], [*PBR[1:], "sky.PSMain"]),
        (["shaders/lit/*.hlsl"], PBR),
        (["build/shaders/sk?.PSMain.spv"], ["sky.PSMain"]),
        (["sky", "lit/*.VSMain"], ["sky.PSMain", PBR[0]]),
    ],
)
def test_patterns_name_shaders(names: list[str], shaders: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["config", "show", *names]) == 0
    shown = [line for line in capsys.readouterr().out.splitlines() if line and not line.startswith(" ")]
    assert shown == shaders


@pytest.mark.parametrize(
    "verb", [["build"], ["why"], ["stats"], ["config", "show"], ["bindings", "--config", "config/shaders"]]
)
def test_every_verb_with_names_takes_patterns(verb: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["build", "--store", "none", "--no-server", "l?t/*"]) == 0
    assert run([*verb, "lit/*.VSMain"]) == 0
    assert run([*verb, "nothing*"]) == 2
    assert "no shader matches `nothing*`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("litt/*", "no shader matches `litt/*`; did you mean `lit/*`?"),
        ("*.PSMian", "no shader matches `*.PSMian`; did you mean `*.PSMain`?"),
        ("skyy", "no shader is called `skyy`; did you mean `sky`?"),
        ("zzzz*", "no shader matches `zzzz*`"),
        ("[", "no shader matches `[`"),
    ],
)
def test_the_error_names_what_is_near(name: str, error: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["config", "show", name]) == 2
    assert capsys.readouterr().err == f"hlsl_tool: error: {error}\n"


def test_defaults_are_shown_on_demand(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["config", "show", "lit/pbr.VSMain"]) == 0
    short = capsys.readouterr().out
    assert "target_env: vulkan1.1" in short
    assert "hlsl_version" not in short
    assert short.endswith(" more have their defaults; --all shows them\n")
    assert run(["config", "show", "--all", "lit/pbr.VSMain"]) == 0
    long = capsys.readouterr().out
    assert "hlsl_version: 2021" in long
    hidden = int(short.rpartition("# ")[2].split()[0])
    assert len(long.splitlines()) == len(short.splitlines()) - 1 + hidden
