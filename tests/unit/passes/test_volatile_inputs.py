"""Built-ins that are volatile in only some shaders of a library."""

from __future__ import annotations

import shutil

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.codegen.passes.volatile_inputs import separate_volatile_inputs
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult
from tests.unit.passes.helpers import body

SOURCE = """
struct Payload { float x; };
struct Touch { float2 at; };
float twice(int64_t k) { float t = 2 * RayTCurrent(); switch (k) { case 4: return t + 1; default: return t; } }
float more() { return twice(3) + 1; }
[shader("intersection")] void hit() { Touch t; t.at = 0; ReportHit(more(), 0, t); }
[shader("closesthit")] void near(inout Payload p, Touch t) { p.x = more() + RayTCurrent(); }
[shader("callable")] void other(inout Payload p) { p.x = 1; }
[shader("miss")] void last(inout Payload p) { p.x = twice(p.x); }
"""


def compiled(source: str, **options: object) -> CompileResult:
    chosen = CompileOptions(target_env="vulkan1.2", **options)  # type: ignore[arg-type]  # by keyword
    return compile_shader(source, entry="", profile="lib_6_3", options=chosen)


def test_a_second_variable_and_copies_of_functions() -> None:
    module = compiled(SOURCE, codegen_only=True).module
    assert module is not None
    separate_volatile_inputs(module)
    lines = body(module)
    variables = [line.split()[1] for line in lines if line.endswith(" BuiltIn RayTmaxKHR")]
    assert len(variables) == 2
    listed = {line.split('"')[1]: [v in line.split() for v in variables] for line in lines if "OpEntryPoint" in line}
    assert listed == {"hit": [True, False], "near": [False, True], "last": [False, True], "other": [False, False]}
    reads = [line.split()[-1] for line in lines if "OpLoad %float %" in line and line.split()[-1] in variables]
    # `near` its own, and a copy of `twice` for either; `more` is there twice, too
    assert sorted(reads) == sorted([variables[0], variables[1], variables[1]])
    functions = [line for line in lines if " = OpFunction %float" in line]
    assert len(functions) == 4


def test_a_library_without_conflict_is_unchanged() -> None:
    module = compiled(SOURCE.replace("more(), 0", "1.0, 0"), codegen_only=True).module
    assert module is not None
    before = body(module)
    separate_volatile_inputs(module)
    assert body(module) == before


SUBGROUP = """
struct Payload { float x; };
[shader("raygeneration")] void start() { if (WaveGetLaneIndex() == 77) AllMemoryBarrier(); }
[shader("anyhit")] void each(inout Payload p, BuiltInTriangleIntersectionAttributes a) { p.x += WaveGetLaneIndex(); }
"""


@pytest.mark.skipif(not shutil.which("spirv-opt"), reason="no SPIRV-Tools")
@pytest.mark.parametrize("optimize", ["performance", "none"])
@pytest.mark.parametrize("source", [SOURCE, SUBGROUP], ids=["distance", "subgroup"])
def test_only_one_of_them_is_volatile(source: str, optimize: str) -> None:
    result = compiled(source, optimize=optimize)
    assert result.ok, [d.message for d in result.diagnostics]
    assert result.module is not None
    lines = body(result.module)
    variables = {line.split()[1] for line in lines if line.endswith((" RayTmaxKHR", " SubgroupLocalInvocationId"))}
    marked = [line.split()[1] for line in lines if line.startswith("OpDecorate") and line.endswith(" Volatile")]
    assert len(variables) == 2
    assert len(variables & {*marked}) == 1
