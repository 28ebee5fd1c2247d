"""The passes of spirv-opt that run on a shader: those that can change a module after promotion."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.pipeline import spirv_opt
from hlsl_tool.spirv.tools.locate import find_tool
from hlsl_tool.spirv.tools.optimizer import OptimizerOptions, optimize, optimize_flags
from hlsl_tool.spirv.tools.passes import Form, passes_for

SHADER = """
struct Item {{ float first, second; }};
RWStructuredBuffer<float> buffer;
StructuredBuffer<Item> items;
RWStructuredBuffer<Item> copies;
RWStructuredBuffer<float> counted(uint i) {{ return ResourceDescriptorHeap[i]; }}
static float table[4] = {{ 1, 2, 3, 4 }};
[numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {{
    float a[4] = {{ 0, 0, 0, 0 }};
    float sum = 0;
    {body}
    buffer[id.x] = sum;
}}
"""
RETURN = "[branch] if (id.y == 2) {{ buffer[id.z] = 1; return; }} [branch] if (id.z == 1) return;"
LOOP = "for (uint i = 0; i < {count}; ++i) sum += {value};"
BRANCH = "[branch] if ({condition}) sum = buffer[id.z] + 1;"

CCP, VECTORS, PHIS = "--ccp", "--vector-dce", "--if-conversion"
BRANCHES, BLOCKS = "--eliminate-dead-branches", "--merge-blocks"
CHAINS, LOADS, ARRAYS = "--combine-access-chains", "--reduce-load-size", "--copy-propagate-arrays"
UNROLLING = "--loop-unroll"
ALWAYS = {"--simplify-instructions", "--eliminate-dead-code-aggressive", "--redundancy-elimination"}
CONDITIONAL = {CCP, VECTORS, PHIS, BRANCHES, BLOCKS, CHAINS, LOADS, ARRAYS, UNROLLING}

FLOW = {CCP, BRANCHES, BLOCKS}
BODIES: dict[str, set[str]] = {
    "sum = a[2] + id.y;": set(),
    BRANCH.format(condition="id.y == 2"): FLOW | {PHIS},
    BRANCH.format(condition="id.y < 0"): FLOW | {PHIS},
    "[branch] if (id.y == 2) buffer[id.z] = 1;": FLOW,
    "bool on = false; " + BRANCH.format(condition="on"): FLOW | {PHIS},
    "bool on = true; " + BRANCH.format(condition="on && 2 < 1"): FLOW | {PHIS},
    "int mode = 3; [branch] switch (mode) { case 3: sum = buffer[1]; break; default: sum = 1; }": FLOW | {PHIS},
    "float3 v = float3(id); v.y = buffer[id.z]; sum = dot(v, v);": {VECTORS},
    "copies[id.x] = items[id.y];": {LOADS},
    "sum = counted(1).IncrementCounter();": {CHAINS},
    RETURN.format(): FLOW,
    LOOP.format(count="id.y", value="i"): FLOW | {PHIS},
    "[loop] " + LOOP.format(count=4, value="buffer[i]"): FLOW | {PHIS},
    "a[id.y] = 1; sum = a[id.z];": {VECTORS, CHAINS, ARRAYS},
    "table[id.y] = 1; sum = table[id.z];": {VECTORS, CHAINS, ARRAYS},
    "[unroll] " + LOOP.format(count=4, value="buffer[i]"): FLOW | {PHIS, UNROLLING},
    "[unroll] " + LOOP.format(count=4, value="a[i] + a[id.y]"): FLOW | {PHIS, UNROLLING, VECTORS, CHAINS, ARRAYS},
}
"""The body of a shader → the conditional passes that run on it."""


@pytest.fixture
def requested(monkeypatch: pytest.MonkeyPatch) -> list[tuple[bytes, OptimizerOptions]]:
    """Return a list to which each run of spirv-opt adds its input and options."""
    requested: list[tuple[bytes, OptimizerOptions]] = []

    def spy(data: bytes, options: OptimizerOptions, **others: object) -> bytes | None:
        requested.append((data, options))
        return optimize(data, options, **others)  # type: ignore[arg-type]

    monkeypatch.setattr(spirv_opt, "optimize", spy)
    return requested


@pytest.mark.parametrize("body", BODIES)
def test_the_passes_of_a_promoted_module(body: str, requested: list[tuple[bytes, OptimizerOptions]]) -> None:
    result = compile_shader(SHADER.format(body=body), profile="cs_6_6")
    assert [(r.message, r.notes) for r in result.diagnostics] == []
    assert result.ok
    ((_, options),) = requested
    flags = set(optimize_flags(options))
    assert flags & CONDITIONAL == BODIES[body]
    assert flags >= ALWAYS
    assert options.form is not None


@pytest.mark.parametrize("body", BODIES)
def test_the_passes_that_are_left_out_shrink_nothing(
    body: str, requested: list[tuple[bytes, OptimizerOptions]]
) -> None:
    assert compile_shader(SHADER.format(body=body), profile="cs_6_6").ok
    ((data, options),) = requested
    assert options.form is not None
    tool = find_tool("spirv-opt")
    assert tool is not None
    every = replace(options, form=replace(Form(), unrolls=options.form.unrolls))
    chosen, whole = (optimize(data, each, tool=tool, sink=Sink()) for each in (options, every))
    assert chosen is not None and whole is not None
    assert len(chosen) == len(whole)


def test_all_passes_are_in_the_order_of_performance_passes() -> None:
    flags = passes_for(Form())
    assert set(flags) >= ALWAYS | CONDITIONAL
    assert flags.index("--private-to-local") < flags.index(UNROLLING) < flags.index("--ssa-rewrite")
    assert flags[-3:] == ["--eliminate-dead-code-aggressive", BLOCKS, "--redundancy-elimination"]


def test_a_module_of_unknown_form_gets_all_passes() -> None:
    assert optimize_flags(OptimizerOptions()) == ["-O", "--spread-volatile-semantics", "--compact-ids"]
    assert optimize_flags(OptimizerOptions(form=Form(), spread_volatile=True))[0] == "--spread-volatile-semantics"


def test_passes_of_the_user_run_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    requested: list[OptimizerOptions] = []
    monkeypatch.setattr(spirv_opt, "optimize", lambda data, options, **_: requested.append(options))
    options = replace(CompileOptions(), optimize=("-O", "--loop-unroll"))
    compile_shader(SHADER.format(body="sum = a[2];"), profile="cs_6_6", options=options)
    assert [optimize_flags(options) for options in requested] == [["-O", "--loop-unroll"]]
