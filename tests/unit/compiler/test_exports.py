"""``exports``: compile only some functions of a library."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult
from hlsl_tool.spirv.text import disassemble

SOURCE = """
struct Payload { float4 x; };
RWStructuredBuffer<float4> out0, out1;
[shader("raygeneration")] void start() { out0[0] = 1; }
[shader("miss")] void sky(inout Payload p) { p.x = 1; }
[shader("miss")] void night(inout Payload p) { p.x = out1[0]; }
export float helper(float a) { return a; }
float plain(float a) { return a + 1; }
"""


def library(*names: str) -> CompileResult:
    options = CompileOptions(target_env="vulkan1.2", exports=names)
    return compile_shader(SOURCE, entry="", profile="lib_6_3", options=options)


@pytest.mark.parametrize(
    ("names", "entries", "functions"),
    [
        ((), {"start", "sky", "night"}, {"helper"}),
        (("start", "sky"), {"start", "sky"}, set()),
        (("night;start",), {"start", "night"}, set()),
        (("sky", "helper"), {"sky"}, {"helper"}),
    ],
)
def test_the_module_has_the_named_functions_only(
    names: tuple[str, ...], entries: set[str], functions: set[str]
) -> None:
    result = library(*names)
    assert result.ok, [d.message for d in result.diagnostics]
    assert result.module is not None
    lines = disassemble(result.module).splitlines()
    assert {line.split('"')[1] for line in lines if "OpEntryPoint" in line} == entries
    assert {line.split('"')[1] for line in lines if "LinkageAttributes" in line} == functions
    if not functions:  # spirv-opt leaves everything to what is linked
        assert any("%out1" in line for line in lines) == ("night" in entries), "resources of others are not bound"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("dusk", "the library has no 'dusk' to export"),
        ("plain", "the library has no 'plain' to export"),
        ("other=start", "-exports other=start is not supported: a library exports under its own names"),
    ],
)
def test_a_name_that_cannot_be_exported_is_an_error(name: str, message: str) -> None:
    result = library(name)
    assert not result.ok
    assert result.diagnostics[0].message == message


def test_exported_functions_give_entry_points_their_execution_modes() -> None:
    """The entry point gets the mode although the exported function is lowered on its own, before it."""
    text = """
        export float slope(float x) { return ddx(x); }
        RWStructuredBuffer<float> o;
        [shader("compute")] [numthreads(8, 8, 1)] void main(uint3 i : SV_DispatchThreadID) { o[i.x] = slope(i.y); }
    """
    options = CompileOptions(target_env="vulkan1.3")
    result = compile_shader(text, entry="", profile="lib_6_6", options=options)
    assert result.ok, [d.message for d in result.diagnostics]
    assert result.module is not None
    assert disassemble(result.module).count("OpExecutionMode %main DerivativeGroupQuads") == 1
