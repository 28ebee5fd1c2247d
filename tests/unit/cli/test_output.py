"""`-` as the name of an output: the standard output, for every verb that writes a file by name."""

from __future__ import annotations

import io
import json
import pathlib

import pytest

from hlsl_tool.cli.__main__ import run
from hlsl_tool.compiler.compile import compile_shader

SHADER = """
cbuffer Frame : register(b2) { float4 tint; };
float4 main() : SV_Target { return tint; }
"""
CONFIGURATION = "shaders: [{ source: x.hlsl, entries: [{ entry: main, profile: ps_6_0 }] }]"


@pytest.fixture
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    for name, text in (("shaders/x.hlsl", SHADER), ("config/shaders/x.yaml", CONFIGURATION)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    result = compile_shader(SHADER, profile="ps_6_0")
    assert result.ok
    (tmp_path / "x.spv").write_bytes(result.spirv)
    (tmp_path / "list.txt").write_text("x.hlsl -T ps -E main\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "begin"),
    [
        (["wgsl", "x.spv", "-o", "-"], "struct"),
        (["wgsl", "x.spv", "-o", "x.wgsl", "--bindings", "-"], "{"),
        (["reflect", "x.spv", "-o", "-"], "{"),
        (["reflect", "x.spv", "--format", "vulkan-cpp", "-o", "-"], "#pragma once"),
        (["import", "shadermake", "list.txt", "-o", "-"], "# 1 shader"),
        (["layout", "show", "-T", "ps_6_0", "shaders/x.hlsl", "--svg", "-"], "<svg"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_dash_is_the_standard_output(
    folder: pathlib.Path, words: list[str], begin: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words) == 0
    assert capsys.readouterr().out.startswith(begin)
    assert not (folder / "-").exists()


def test_reports_of_a_build(folder: pathlib.Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert run(["build"]) == 0
    capsysbinary.readouterr()
    assert run(["report", "--save", "-"]) == 0
    assert json.loads(capsysbinary.readouterr().out)
    assert run(["report", "--html", "-"]) == 0
    captured = capsysbinary.readouterr()
    assert captured.out.startswith(b"<!doctype html>")
    assert captured.err.startswith(b"-: 1 shaders")
    assert run(["pack", "make", "build/shaders/manifest.json", "-o", "-"]) == 0
    assert (folder / "build/shaders/x.main.spv").read_bytes() in capsysbinary.readouterr().out
    assert not (folder / "-").exists()


def test_two_outputs_need_two_places(folder: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["wgsl", "x.spv", "--bindings", "-"]) == 2
    assert "name a file with -o" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["wgsl", "x.spv", "-o", "x.spv"],
        ["wgsl", "x.spv", "-o", "x.wgsl", "--bindings", "./x.spv"],
        ["cross", "msl", "x.spv", "-o", "x.spv"],
        ["cross", "msl", "x.spv", "--slots", "link.spv"],
        ["reflect", "x.spv", "-o", "x.spv"],
        ["reflect", "--format", "vulkan", "x.spv", "link.spv", "-o", "link.spv"],
        ["pack", "get", "x.spv", "main", "-o", "x.spv"],
    ],
)
def test_no_output_replaces_its_input(
    words: list[str], folder: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "link.spv").symlink_to("x.spv")
    before = (folder / "x.spv").read_bytes()
    assert run(words) == 2
    assert "name one file [HLSL0913]" in capsys.readouterr().err
    assert (folder / "x.spv").read_bytes() == before
    assert not (folder / "x.wgsl").exists()


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["build", "--stamp", "-"], "--stamp"),
        (["build", "--stamp", "x.stamp", "--depfile", "-"], "--depfile"),
        (["generate", "ninja", "-o", "-"], "-o"),
        (["generate", "cmake", "-o", "-"], "-o"),
        (["report", "--html", "page.html", "--history", "-"], "--history"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_files_that_are_read_again_have_names(
    folder: pathlib.Path, words: list[str], option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words) == 2
    assert f"error: {option} cannot be the standard output: name a file" in capsys.readouterr().err
    assert not (folder / "-").exists()


def test_a_dash_is_the_standard_input(
    folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    def reads(data: bytes, *words: str) -> bytes:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert run(words) == 0, capsysbinary.readouterr().err
        return capsysbinary.readouterr().out

    module = (folder / "x.spv").read_bytes()
    assert run(["build"]) == 0
    capsysbinary.readouterr()
    for words in (["wgsl"], ["reflect"]):
        assert reads(module, *words, "-") == reads(b"", *words, "x.spv")
    vertex = compile_shader("float4 main() : SV_Position { return 0; }", profile="vs_6_0").spirv
    assert reads(vertex, "reflect", "link", "-", "x.spv") == b""
    for words in (["reflect", "layout", "show", "-T", "ps_6_0"], ["reflect", "bindings", "-T", "ps_6_0"]):
        expected = reads(b"", *words, "shaders/x.hlsl").replace(b"shaders/x.hlsl", b"-").replace(b"x.hlsl", b"-")
        assert reads(SHADER.encode(), *words, "-").split() == expected.split()
    assert reads(b"x.hlsl -T ps -E main\n", "import", "shadermake", "-").startswith(b"# 1 shader of -")
    pack = reads(b"", "pack", "make", "build/shaders/manifest.json", "-o", "-")
    assert b"x.main" in reads(pack, "pack", "list", "-")
    assert reads(pack, "pack", "get", "-", "x.main") == (folder / "build/shaders/x.main.spv").read_bytes()
    snapshot = reads(b"", "report", "--save", "-")
    assert reads(snapshot, "report", "--against", "-")
    assert json.loads(reads(b"", "generate", "compile-commands", "-o", "-"))
    assert not (folder / "-").exists()
