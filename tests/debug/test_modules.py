"""Optimised code, and modules of other compilers."""

from __future__ import annotations

from array import array
from pathlib import Path

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.spirv import op
from tests.debug.client import Client, RequestFailed
from tests.debug.conftest import Debug
from tests.debug.shaders import COMPUTE, line_of


def test_inlined_functions_are_in_the_call_stack(debug: Debug) -> None:
    client = debug(COMPUTE, ["scaled"], arguments=["-O3"])
    assert client.stop() == ("breakpoint", "scaled", "scaled")
    frames = client.frames()
    assert [(frame["name"], client.mark(frame["line"])) for frame in frames] == [
        ("scaled", "scaled"),
        ("sum", "call"),
        ("main", "shared"),
    ]
    assert client.values("Arguments", frames[0]["id"])["by"] == "2.0"
    assert client.values("Locals", frames[1]["id"])["i"] == "0"
    assert client.go("stepOut") == ("step", "sum", "call")
    assert client.go("stepBack")[1] in ("scaled", "sum")


def test_options_that_restrict_extensions(debug: Debug) -> None:
    options = ["-fspv-extension=SPV_KHR_16bit_storage", "-fspv-target-env=vulkan1.0"]
    client = debug(COMPUTE, ["scaled"], arguments=options)
    assert client.stop() == ("breakpoint", "scaled", "scaled")
    assert client.evaluate("x + by") != ""


def test_returns_from_inlined_calls_do_not_hit_breakpoints_again(debug: Debug) -> None:
    client = debug(COMPUTE, ["call"], arguments=["-O3"])
    client.stop()
    seen = [client.values("Locals")["i"]]
    while client.go("continue")[0] == "breakpoint":
        seen.append(client.values("Locals")["i"])
    assert seen == ["0", "1", "2"]


@pytest.mark.parametrize("debug_information", [("line",), ("vulkan",), ("rich",)])
def test_modules(client: Client, tmp_path: Path, debug_information: tuple[str, ...]) -> None:
    path = tmp_path / "shader.hlsl"
    path.write_text(COMPUTE)
    options = CompileOptions(optimize="none", debug=debug_information, target_env="vulkan1.1")
    result = compile_shader(COMPUTE, profile="cs_6_0", options=options, name="shader.hlsl")
    assert result.ok
    module = tmp_path / "shader.spv"
    module.write_bytes(result.spirv)
    client.source_text = COMPUTE
    client.request("initialize")
    client.request(
        "launch", program=str(module), groups=2, seed=1, bind={"Params": {"factor": 2, "shape": [[1, 2, 3], [4, 5, 6]]}}
    )
    client.event("initialized")
    client.break_at(path, [line_of(COMPUTE, "call")])
    client.request("configurationDone")
    assert client.stop() == ("breakpoint", "sum", "call")
    assert client.frames()[0]["source"]["path"] == str(path)
    assert client.values("Locals")["i"] == "0"
    assert client.evaluate("item.weights[0]") == client.evaluate("w")
    with pytest.raises(RequestFailed, match="for a module, only names, members and constant indices"):
        client.evaluate("w * 2")
    assert client.go("stepIn") == ("step", "scaled", "scaled")


def test_modules_without_lines_can_be_paused(client: Client, tmp_path: Path) -> None:
    source = "RWStructuredBuffer<uint> o; [numthreads(1, 1, 1)] void main() { while (o[0] == 0) o[1] += 1; }"
    result = compile_shader(source, profile="cs_6_0", options=CompileOptions(optimize="none"))
    module = tmp_path / "shader.spv"
    module.write_bytes(result.spirv)
    client.launch(module, groups=1)
    assert "the module has no lines" in client.output()
    client.request("pause", threadId=1)
    assert client.event("stopped")["reason"] == "pause"
    assert list(client.scope("Resources")) == ["o"]


def _without_names(spirv: bytes) -> bytes:
    words = array("I", spirv)
    out, at = words[:5], 5
    while at < len(words):
        count, opcode = words[at] >> 16, words[at] & 0xFFFF
        if opcode not in (op.OpName, op.OpMemberName):
            out += words[at : at + count]
        at += count
    return out.tobytes()


def test_resources_without_names_are_called_by_their_bindings(client: Client, tmp_path: Path) -> None:
    source = (
        "RWStructuredBuffer<uint> o; RWStructuredBuffer<uint> p : register(u0, space2);"
        " [numthreads(1, 1, 1)] void main() { while (o[0] == 0) p[0] += 1; }"
    )
    result = compile_shader(source, profile="cs_6_0", options=CompileOptions(optimize="none"))
    module = tmp_path / "shader.spv"
    module.write_bytes(_without_names(result.spirv))
    client.launch(module, groups=1, bind={"set0_binding0": [0], "set2_binding0": [7, 8]})
    client.request("pause", threadId=1)
    assert client.event("stopped")["reason"] == "pause"
    resources = client.values("Resources")
    assert list(resources) == ["set0_binding0", "set2_binding0"]
    assert resources["set2_binding0"].endswith(", 8] (2 elements)")


def test_bytes_that_are_no_module(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "shader.spv"
    path.write_bytes(b"nothing")
    client.request("initialize")
    with pytest.raises(RequestFailed, match="is no module of SPIR-V"):
        client.request("launch", program=str(path), groups=1)
