"""`hlsl_tool reflect` on module files: its JSON, text and C++, and its errors for bad input."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.cli.__main__ import run
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.reflection.blocks import find_block
from hlsl_tool.reflection.check import ReflectError
from hlsl_tool.reflection.emit_json import to_json
from hlsl_tool.reflection.reflection import Reflection

ROOT = pathlib.Path(__file__).resolve().parents[3]
SHADER = """
cbuffer Frame : register(b2, space1) { row_major float4x3 view; float scale; };
RWStructuredBuffer<float4> o : register(u0);
Texture2D<float4> unused : register(t1);
[[vk::constant_id(3)]] const int N = 4;
[numthreads(8, 4, 1)] void main(uint i : SV_GroupIndex) { o[i] = mul(view, float3(1, scale, N)); }
"""


@pytest.fixture
def module(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "lit.main.spv"
    path.write_bytes(compiled().spirv)
    return path


def compiled():  # type: ignore[no-untyped-def]
    result = compile_shader(SHADER, profile="cs_6_0", options=CompileOptions(validate="no"))
    assert result.ok
    return result


def test_json(module: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reflect", str(module)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [r["name"] for r in found["resources"]] == ["o", "Frame"]
    assert "hlsl" not in found["resources"][0]


def test_output_files_and_cpp(module: pathlib.Path, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "deep" / "lit.hpp"
    assert run(["reflect", str(module), "--format", "cpp", "-o", str(target)]) == 0
    assert capsys.readouterr().out == ""
    assert "namespace lit_main {" in target.read_text()
    assert run(["reflect", str(module), "--format=cpp", "--namespace", "engine::gpu"]) == 0
    assert "namespace engine::gpu {\n" in capsys.readouterr().out


def test_from_json(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON output also contains information of the source that a module lacks."""
    path = tmp_path / "lit.main.json"
    path.write_text(to_json(compiled().reflect()))
    assert run(["reflect", str(path), "--format=cpp"]) == 0
    out = capsys.readouterr().out
    assert "namespace lit_main {" in out
    assert "inline constexpr Binding Frame{1, 2, 1};  // uniform_buffer, cbuffer, register(b2, space1)" in out
    assert run(["reflect", str(path)]) == 0
    assert capsys.readouterr().out == path.read_text()
    good = path.read_text()
    for text, said in (
        ('{ "format": 1 ', "this is no JSON"),
        ('{ "a": 1 }', "it has no `format`"),
        (good.replace('"format": 1', '"format": 99'), "has the format 99, and this version reads 1"),
        (good.replace('"kind": "uniform_buffer"', '"kind": "buffer"'), '`resources[1].kind` cannot be "buffer"'),
        (good.replace('"binding": 2,', '"binding": "b",'), '`entry_points[0].resources[1].binding` cannot be "b"'),
        (good.replace('"version": "1.0",', ""), "`it` has no `version`"),
    ):
        path.write_text(text)
        assert run(["reflect", str(path)]) == 2
        err = capsys.readouterr().err
        assert said in err and err.count("\n") == 1, err


def test_text(module: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reflect", str(module), "--format", "text"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "SPIR-V 1.0, Vulkan 1.0",
        "capabilities: Shader",
        "",
        "entry point main (GLCompute)",
        "  LocalSize 8 4 1",
        "  in  LocalInvocationIndex  uint",
        "",
        "resources",
        "  set 0 binding 0  storage_buffer  o      read_write  used by main",
        "  set 1 binding 2  uniform_buffer  Frame  read        used by main",
        "specialisation constant 3: int N = 4",
        "",
        "storage_buffer o",
        "  0  float4[]  stride 16",
        "",
        "uniform_buffer Frame, 68 bytes",
        "   0  60  float4x3 view  row_major, stride 16",
        "  64   4  float scale",
    ]


def test_bad_input_is_one_line(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    junk, cut, twisted = tmp_path / "junk.spv", tmp_path / "cut.spv", tmp_path / "twisted.spv"
    junk.write_text("not at all")
    spirv = compiled().spirv
    cut.write_bytes(spirv[: len(spirv) // 2])
    words = [int.from_bytes(spirv[i : i + 4], "little") for i in range(0, len(spirv), 4)]
    at = next(i for i, w in enumerate(words) if w == 4 << 16 | 23)  # OpTypeVector: its component becomes itself
    words[at + 2] = words[at + 1]
    twisted.write_bytes(b"".join(w.to_bytes(4, "little") for w in words))
    for path, reason in (
        (junk, "this is no SPIR-V"),
        (cut, "cut short"),
        (twisted, "not declared before it"),
        (tmp_path / "none.spv", "No such file"),
        (tmp_path, "it is a folder"),
    ):
        assert run(["reflect", str(path)]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert (said.err[:18], said.err.count("\n")) == ("hlsl_tool: error: ", 1)
        assert str(path) in said.err
        assert reason in said.err


def test_an_output_that_cannot_be_written_is_an_error(module: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reflect", str(module), "-o", str(module / "x.json")]) == 2
    assert "cannot write" in capsys.readouterr().err


def test_standard_streams(module: pathlib.Path) -> None:
    command = [sys.executable, "-m", "hlsl_tool", "reflect", "-", "--format=cpp"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, input=module.read_bytes(), capture_output=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"namespace shader {" in done.stdout


def test_library() -> None:
    result = compiled()
    found = result.reflect()
    assert isinstance(found, Reflection)
    assert found.resources[1].hlsl["register"] == "b2"
    assert json.loads(to_json(found))["format"] == 1
    assert find_block(found, "Frame").size == 68
    with pytest.raises(ReflectError, match="there is no block `Frma`; there are `o`, `Frame`"):
        find_block(found, "Frma")


def test_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", "reflection"]) == 0
    assert json.loads(capsys.readouterr().out)["title"].startswith("hlsl_tool: reflection of a SPIR-V module")


@pytest.mark.skipif(os.name == "nt", reason="pipes break in other ways")
def test_a_pipe_that_is_closed_is_no_success(tmp_path: pathlib.Path) -> None:
    """If the output of a verb is not read, its exit status is an error."""
    module = tmp_path / "lit.spv"
    module.write_bytes(compiled().spirv)
    reading, writing = os.pipe()
    os.close(reading)
    try:
        found = subprocess.run(
            [sys.executable, "-m", "hlsl_tool", "reflect", str(module)],
            stdout=writing,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            check=False,
        )
    finally:
        os.close(writing)
    assert (found.returncode, found.stderr) == (141, b"")
