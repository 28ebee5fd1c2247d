"""Names and texts that an encoding lacks do not crash a command, and control characters do not reach a terminal."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.diagnostics.visible import visible, visible_name
from hlsl_tool.project.config.load import load
from tests.patience import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[3]
CONFIG = "shaders:\n  - source: '*.hlsl'\n    entries: [{ entry: main, profile: ps_6_0 }]\n"
SCONSTRUCT = f"""
env = Environment(tools=["hlsl"], toolpath=[r"{ROOT / "site_scons" / "site_tools"}"])
env.HlslShaders("config/shaders")
env.Default("shaders")
"""
GOOD = "float4 main() : SV_Target { return 1; }\n"


def project(folder: pathlib.Path, source: str) -> pathlib.Path:
    (folder / "shaders").mkdir(parents=True)
    (folder / "config" / "shaders").mkdir(parents=True)
    (folder / "config" / "shaders" / "s.yaml").write_text(CONFIG)
    (folder / "shaders" / "a.hlsl").write_text(source, encoding="utf-8")
    (folder / "SConstruct").write_text(SCONSTRUCT)
    return folder


def execute(folder: str | pathlib.Path, *arguments: str, encoding: str = "utf-8") -> tuple[int, bytes]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding}
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=PATIENCE,
    )
    assert b"Traceback" not in done.stdout
    return done.returncode, done.stdout


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
@pytest.mark.parametrize("verb", [("hlsl_tool", "build"), ("SCons", "-Q")])
def test_source_line_that_does_not_fit_the_output(tmp_path: pathlib.Path, verb: tuple[str, ...], encoding: str) -> None:
    root = project(tmp_path, "float4 main() : SV_Target { return /* größe √ */ foo; }\n")
    status, said = execute(root, *verb, encoding=encoding)
    assert status == 2
    assert b"error: use of undeclared identifier 'foo'" in said
    assert b"\\u221a */ foo" in said


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes there")
def test_name_that_is_not_utf8(tmp_path: pathlib.Path) -> None:
    root = project(tmp_path, GOOD)
    (root / "shaders" / os.fsdecode(b"b\xff.hlsl")).write_text(GOOD)
    sink = Sink()
    load(str(root), ["config/shaders"], sink)
    (diagnostic,) = sink.diagnostics
    assert (diagnostic.code.id, "b\\udcff.hlsl" in diagnostic.message) == ("CFG837", True)
    assert diagnostic.location is not None and diagnostic.location.line == 2
    assert execute(root, "hlsl_tool", "build")[0] == 2


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes there")
def test_root_that_is_not_utf8(tmp_path: pathlib.Path) -> None:
    root = project(pathlib.Path(os.fsdecode(os.fsencode(tmp_path) + b"/r\xff")), GOOD)
    for verb in (("hlsl_tool", "build"), ("SCons", "-Q"), ("hlsl_tool", "build")):
        assert execute(root, *verb)[0] == 0
    assert (root / "build" / "shaders" / "a.main.spv").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes there")
def test_names_on_the_command_line(tmp_path: pathlib.Path) -> None:
    name = os.fsdecode(b"s\xff")
    (tmp_path / f"{name}.hlsl").write_text(GOOD)
    for options in (
        ["-Fo", f"{name}.spv"],
        ["-D", f"X={name}", "-Fo", f"{name}.spv"],
        ["-M"],
        ["-MF", "o.d"],
        ["-P", "-Fi", "o.i"],
        ["-Fh", "o.h", "-Fc", "o.txt", "-Zi"],
    ):
        assert execute(tmp_path, "hlsl_tool", "compile", "-T", "ps_6_0", f"{name}.hlsl", *options)[0] == 0, options
    assert b"s\xff.hlsl" in (tmp_path / "o.d").read_bytes()
    for form in ("json", "cpp", "text"):
        command = ("hlsl_tool", "reflect", f"{name}.spv", "--format", form)
        assert execute(tmp_path, *command)[0] == 0
        assert execute(tmp_path, *command, "-o", f"{name}.{form}")[0] == 0


@pytest.mark.parametrize("form", ["text", "gcc", "msvc"])
def test_control_characters_are_spelled_out(tmp_path: pathlib.Path, form: str) -> None:
    name = "e\x1b[31m.hlsl" if sys.platform != "win32" else "e.hlsl"
    (tmp_path / name).write_bytes(b"#error \x1b[2Jred\x07\xc2\x9b1m\n")
    arguments = ["-T", "ps_6_0", name, f"-fdiagnostics-format={form}"]
    _, said = execute(tmp_path, "hlsl_tool", "compile", *arguments)
    assert b"\\x1b[2Jred\\x07\\x9b1m" in said
    assert not any(byte < 32 and byte not in b"\r\n\t" for byte in said)
    assert b"\xc2\x9b" not in said


@pytest.mark.parametrize(("form", "start"), [("github", b"::error file=e.hlsl"), ("json", b"{"), ("sarif", b"{")])
def test_dxc_spelling_of_the_form(tmp_path: pathlib.Path, form: str, start: bytes) -> None:
    (tmp_path / "e.hlsl").write_bytes(b"#error no\n")
    _, said = execute(tmp_path, "hlsl_tool", "compile", "-T", "ps_6_0", "e.hlsl", f"-fdiagnostics-format={form}")
    assert said.startswith(start)


def test_visible() -> None:
    assert visible("größe\t√\n") == "größe\t√\n"
    assert visible("a\x1b[0m\x00\u202e") == "a\\x1b[0m\\x00\\u202e"
    assert visible_name("a\nb") == "a\\nb"
