"""Every verb in a process without features that Windows lacks, with streams that are not UTF-8 (see `windows.py`)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE

ROOT = Path(__file__).parent.parent.parent.parent
SHADER = """#include "c.hlsli"
#ifndef N
#define N 1
#endif
float4 VSMain(float2 p : POSITION) : SV_Position { return float4(p, 0, 1); }
float4 PSMain() : SV_Target { return COLOR * N; }  // → ±
"""
CONFIGURATION = """output_dir: out
shaders:
  - source: tínt→.hlsl
    entries: [{ entry: VSMain, profile: vs_6_0 }, { entry: PSMain, profile: ps_6_0, defines: { N: [1, 2] } }]
    outputs: [spv, dep, reflection]
"""
VERBS = [
    ("stats",),
    ("why", "out/tínt→.PSMain.N=1.spv"),
    ("lint", "-j2"),
    ("report",),
    ("store", "stats"),
    ("config", "show", "tínt→"),
    ("bindings", "shaders/tínt→.hlsl", "-T", "ps_6_0", "-E", "PSMain", "-D", "N=1"),
    ("reflect", "out/tínt→.VSMain.spv"),
    ("wgsl", "out/tínt→.VSMain.spv"),
    ("explain", "HLSL0310"),
    ("generate", "ninja"),
    ("glslc", "-fshader-stage=vert", "-fentry-point=VSMain", "shaders/tínt→.hlsl", "-S", "-o", "-"),
    ("glslang", "-H", "-S", "vert", "-e", "VSMain", "shaders/tínt→.hlsl"),
    ("schema",),
    ("compile", "-T", "vs_6_0", "-E", "VSMain", "shaders/tínt→.hlsl"),
]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tínt→")
    (folder / "config/shaders").mkdir(parents=True)
    (folder / "shaders").mkdir()
    (folder / "SConstruct").write_text(
        "import hlsl_tool.scons\nEnvironment(tools=['hlsl']).HlslShaders('config/shaders')\n", "utf-8"
    )
    (folder / "config/shaders/a.yaml").write_text(CONFIGURATION, "utf-8")
    (folder / "shaders/tínt→.hlsl").write_text(SHADER, "utf-8")
    (folder / "shaders/c.hlsli").write_text("#define COLOR float4(1, 1, 0, 1)\n", "utf-8")
    done = run(folder, "hlsl_tool", "build", "-j2")
    assert (done.returncode, "3 built" in done.stdout + done.stderr) == (0, True), done.stdout + done.stderr
    return folder


def run(folder: Path, *words: str, encoding: str = "cp1252") -> subprocess.CompletedProcess[str]:
    """Run a module in a process that simulates Windows."""
    variables = {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding, "HLSL_TOOL_SERVER": ""}
    command = [sys.executable, str(Path(__file__).with_name("windows.py")), *words]
    environment = {**os.environ, **variables}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, encoding=encoding, timeout=PATIENCE
    )


@pytest.mark.parametrize("words", VERBS, ids=lambda words: words[0])
def test_verbs(project: Path, words: tuple[str, ...]) -> None:
    done = run(project, "hlsl_tool", *words)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_hlsl2spirv_compiles_without_a_server(project: Path) -> None:
    words = ("-T", "vs_6_0", "-E", "VSMain", "shaders/tínt→.hlsl", "-Fo", "x.spv", "-MD")
    done = run(project, "hlsl_tool.hlsl2spirv", *words)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (project / "x.d").read_text("utf-8") == "x.spv: shaders/tínt→.hlsl \\\n  shaders/c.hlsli\n"


@pytest.mark.parametrize("action", ["start", "status", "stop"])
def test_the_server_names_the_reason_why_it_cannot_run(project: Path, action: str) -> None:
    done = run(project, "hlsl_tool", "server", action)
    reason = "no server can run: this system has no Unix sockets, or cannot fork"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"hlsl_tool: error: {reason}\n")


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_scons_prints_what_the_encoding_lacks(project: Path, encoding: str) -> None:
    pytest.importorskip("SCons", reason="needs SCons (Python package scons)")
    (project / "shaders/c.hlsli").write_text(f"#define COLOR float4(1, 0, 0, {len(encoding)})\n", "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding}
    command = [sys.executable, "-m", "SCons", "-Q"]
    done = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, encoding=encoding, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    assert "nt\\u2192.PSMain" in done.stdout + done.stderr
