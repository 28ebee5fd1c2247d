"""`-ftime-report` and `-ftime-trace`: the times of the stages as a table, and as events for Chrome."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hlsl_tool.cli.dxc import run
from hlsl_tool.compiler import stopwatch
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.stopwatch import STAGES, Lap, Stopwatch

SHADER = "float4 main(float4 a : A) : SV_Target { return a * 2; }"
COMMON = ("-T", "ps_6_0", "a.hlsl", "-Fo", "a.spv")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.hlsl").write_text(SHADER)
    return tmp_path


def test_report(folder: Path) -> None:
    status, out, err = run(["-ftime-report", *COMMON], str(folder))
    assert (status, out) == (0, "")
    lines = err.splitlines()
    assert lines[1].strip() == "Time report: a.hlsl"
    stages = [line.rpartition("  ")[2] for line in lines[4:]]
    assert stages[-1] == "total"
    assert {"preprocess", "parse", "analyse", "lower", "optimise", "outputs"} <= set(stages[:-1]) <= set(STAGES)
    assert lines[-1].count("100.0 %") == 2


def test_report_of_a_shader_with_errors(folder: Path) -> None:
    (folder / "a.hlsl").write_text("float4 main() : SV_Target { return x; }")
    status, _, err = run(["-ftime-report", *COMMON], str(folder))
    assert status == 1
    assert "analyse" in err
    assert "  lower" not in err


@pytest.mark.parametrize("flag", ["-ftime-trace", "-ftime-trace=times/a.json"])
def test_trace(folder: Path, flag: str) -> None:
    (folder / "times").mkdir()
    status, out, err = run([flag, "-ftime-trace-granularity=0", *COMMON], str(folder))
    assert (status, err) == (0, "")
    text = out if flag == "-ftime-trace" else (folder / "times/a.json").read_text()
    content = json.loads(text)
    events = [event for event in content["traceEvents"] if event["ph"] == "X" and event["tid"] == 0]
    whole, *stages = events
    assert whole["name"] == "ExecuteCompiler"
    assert whole["args"] == {"detail": "a.hlsl"}
    assert [event["name"] for event in stages][:1] == ["preprocess"]
    assert [event["ts"] for event in stages] == sorted(event["ts"] for event in stages)
    assert all(event["ts"] + event["dur"] <= whole["dur"] + 2 for event in stages)
    assert content["beginningOfTime"] > 1e15


def measured() -> Stopwatch:
    watch = Stopwatch()
    watch.laps = [Lap("parse", 0.0, 0.25, 0.2), Lap("lower", 0.25, 0.2504, 0.0), Lap("parse", 0.2504, 0.75, 0.3)]
    watch.ms = {"parse": 749.6, "lower": 0.4}
    return watch


def test_short_events_are_left_out() -> None:
    def names(granularity: int) -> list[str]:
        events = json.loads(stopwatch.trace(measured(), "a.hlsl", granularity))["traceEvents"]
        return [event["name"] for event in events if event["ph"] == "X"]

    totals = ["Total parse", "Total lower"]
    assert names(400) == ["ExecuteCompiler", "parse", "lower", "parse", *totals]
    assert names(500) == ["ExecuteCompiler", "parse", "parse", *totals]
    assert names(400_000) == ["ExecuteCompiler", "parse", *totals]


def test_table() -> None:
    assert stopwatch.report(measured(), "a.hlsl").splitlines()[3:] == [
        "            CPU time            wall clock  stage",
        "  0.5000 s (100.0 %)    0.7496 s ( 99.9 %)  parse",
        "  0.0000 s (  0.0 %)    0.0004 s (  0.1 %)  lower",
        "  0.5000 s (100.0 %)    0.7500 s (100.0 %)  total",
    ]


def test_library() -> None:
    result = compile_shader(SHADER, profile="ps_6_0")
    assert "lower" in stopwatch.report(result.watch, "a shader")
    assert set(result.watch.ms) == {lap.stage for lap in result.watch.laps}
