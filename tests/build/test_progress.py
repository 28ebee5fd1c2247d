"""Progress on a (pseudo) terminal, and none without a terminal."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.build.conftest import TOOL_PATH, Project
from tests.build.test_scons import lit
from tests.patience import PATIENCE

pty = pytest.importorskip("pty", reason="pseudo-terminals are those of POSIX")

ONE = """\
shaders:
  - {{ source: {name}.hlsl, profile: ps_6_0, outputs: [spv], defines: {{ MODE: [{values}] }} }}
"""


def on_a_terminal(project: Project, *arguments: str) -> str:
    """Return the text that a build writes to a terminal with 60 columns."""
    import fcntl
    import struct
    import termios

    mine, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    environment = {**project.environment(), "TERM": "xterm"}
    process = subprocess.Popen(
        [sys.executable, *arguments], cwd=project.root, env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    found = b""
    while True:
        try:
            part = os.read(mine, 4096)
        except OSError:  # Linux's word for the end
            break
        if not part:
            break
        found += part
    os.close(mine)
    process.wait(PATIENCE)
    return found.decode().replace("\r\n", "\n")


def screen(text: str) -> list[str]:
    """Return the final content of each line, after all rewriting of progress lines."""
    lines = []
    for line in text.split("\n"):
        shown = ""
        for part in line.split("\r"):
            shown = part + shown[len(part) :]
        lines.append(shown.rstrip())
    return lines


@pytest.mark.parametrize("way", ["build", "scons", "set"])
def test_one_line_is_rewritten(project: Project, way: str) -> None:
    lit(project, "SLEEP SLEEP int x; WARN\n")
    verb = ("-m", "hlsl_tool", "build") if way == "build" else ("-m", "SCons", "-Q")
    text = on_a_terminal(project, *verb, *(["scons_nodes=set"] if way == "set" else []))
    for number in range(1, 5):
        assert f"\r[{number}/4] lit/pbr." in text
    assert " s left" in text
    assert max(len(part) for line in text.split("\n") for part in line.split("\r") if part.startswith("[")) < 60
    shown = screen(text)
    assert not any(line.startswith("[") for line in shown), "nothing of it is left"
    assert any("a warning was asked for" in line for line in shown)
    assert any(line.startswith("shaders: 4 built") for line in shown)


def test_an_error_stands_on_a_line_of_its_own(project: Project) -> None:
    lit(project, "FAIL\n")
    for more in ("scons_nodes=single", "scons_nodes=set"):
        shown = screen(on_a_terminal(project, "-m", "SCons", "-Q", more))
        assert any(line.startswith("shaders/lit/pbr.hlsl:1:1: error") for line in shown)
        assert any(line.startswith("scons: *** [") for line in shown)


def test_without_a_terminal_every_shader_has_its_line(project: Project) -> None:
    lit(project)
    out = project.tool("build").out
    assert "\r" not in out
    assert out.count("(shaders/lit/pbr.hlsl)\n") == 4


@pytest.mark.parametrize("nodes", ["single", "set"])
def test_numbers_run_on_over_several_calls(project: Project, nodes: str) -> None:
    for name, outputs in (("a", "0, 1, 2"), ("b", "0, 1")):
        project.write(f"{name}/defaults.yaml", f"source_dir: shaders\noutput_dir: build/{name}\n")
        project.write(f"{name}/{name}.yaml", ONE.format(name=name, values=outputs))
        project.write(f"shaders/{name}.hlsl", "float x;\n")
    tool = f"env = Environment(tools=['hlsl'], toolpath=[{str(TOOL_PATH)!r}])\n"
    project.write("SConstruct", f"{tool}env.HlslShaders('a')\nenv.HlslShaders('b')\nDefault('shaders')\n")
    for more in (["-n"], []):
        run = project.scons(f"scons_nodes={nodes}", *more)
        numbers = [line.split("]")[0] + "]" for line in run.out.splitlines() if line.startswith("[")]
        assert numbers == [f"[{number}/5]" for number in range(1, 6)]
