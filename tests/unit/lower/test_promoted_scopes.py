"""Scopes, lines and variables in modules that our own promotion legalises instead of spirv-opt."""

from __future__ import annotations

from collections import Counter

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.codegen.passes.promote.program import inlined_size
from hlsl_tool.compiler import finishing
from hlsl_tool.spirv import op, opencl_debug, shader_debug
from hlsl_tool.spirv.analysis.kinds import EXT_INSTS
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.ir import Instruction, Module
from tests.unit.lower.debug_reader import read

SOURCE = """struct S { float a; float2 b; };
RWStructuredBuffer<float> o;
float twice(float x, inout S s) {
    float y = x * 2; s.a += y;
    if (y > 3) { float z = y - 1; y = z * z; }
    return y;
}
float nested(float v, inout S s) { float w = twice(v + 1, s); return w * v; }
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
    S s; s.a = id.x; s.b = float2(id.y, 2);
    float sum = 0;
    for (uint i = 0; i < id.z; i++) { float t = twice(sum + i, s); sum += t; }
    sum += nested(id.y + 0.5, s);
    float kept[4] = {sum, s.a, s.b.x, 1};
    o[0] = kept[id.x & 3];
}
"""


@pytest.fixture
def promoted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let promotion process modules of any size."""
    monkeypatch.setattr(finishing, "LARGE", -1)


def compiled(kind: str, optimize: str = "performance") -> Module:
    options = CompileOptions(debug=(kind,), optimize=optimize, target_env="vulkan1.3", validate="required")
    result = compile_shader(SOURCE, name="main.hlsl", profile="cs_6_0", options=options)
    assert result.ok, result.diagnostics
    assert {diagnostic.code.id for diagnostic in result.diagnostics} <= {"HLSL0752"}
    return decode(result.spirv)


def debug_of(module: Module, number: int) -> list[Instruction]:
    instructions = [*module.globals, *(inst for function in module.functions for inst in function.instructions())]
    return [inst for inst in instructions if inst.op in EXT_INSTS and inst.operands[1] == number]


@pytest.mark.usefixtures("promoted")
@pytest.mark.parametrize("kind", ["vulkan", "vulkan-with-source"])
@pytest.mark.parametrize("optimize", ["performance", "size"])
def test_a_debugger_can_read_it(kind: str, optimize: str) -> None:
    assert read(compiled(kind, optimize)).complaints == []


@pytest.mark.usefixtures("promoted")
@pytest.mark.parametrize("optimize", ["performance", "size"])
def test_variables_have_values(optimize: str) -> None:
    """So do parameters, members and variables of inlined functions; an indexed array stays a variable."""
    assert {"id", "s", "sum", "i", "t", "v", "w", "x", "y", "z", "kept"} <= read(compiled("vulkan", optimize)).declared


@pytest.mark.usefixtures("promoted")
@pytest.mark.parametrize("kind", ["rich", "rich-with-source"])
def test_variables_have_values_in_the_older_instruction_set(kind: str) -> None:
    module = compiled(kind)
    strings = {inst.result_id: inst.text(0) for inst in module.sources if inst.op == op.OpString}
    locals_ = {inst.result_id: strings[inst.id(2)] for inst in debug_of(module, opencl_debug.DebugLocalVariable)}
    mappings = [*debug_of(module, opencl_debug.DebugValue), *debug_of(module, opencl_debug.DebugDeclare)]
    assert {"s", "sum", "i", "t", "w", "x", "y", "z", "kept"} <= {locals_[inst.id(2)] for inst in mappings}


@pytest.mark.usefixtures("promoted")
@pytest.mark.parametrize("kind", ["vulkan", "rich"])
def test_calls_are_inlined_in_their_scopes(kind: str) -> None:
    """Each inlined call has a DebugInlinedAt; that of a call in an inlined function names the outer one."""
    module = compiled(kind)
    constants: dict[int, int | str] = {n: n for n in range(100)}
    if kind == "vulkan":
        constants = {inst.result_id: inst.operands[0] for inst in module.globals if inst.op == op.OpConstant}
    sites = {inst.result_id: inst for inst in debug_of(module, shader_debug.DebugInlinedAt)}
    chains = Counter(chain(inst, sites, constants) for inst in sites.values())
    assert chains[12,] == 1  # twice, in main
    assert chains[13,] == 1  # nested, in main
    assert chains[8, 13] == 1  # twice, in nested


def chain(site: Instruction, sites: dict[int, Instruction], constants: dict[int, int | str]) -> tuple[object, ...]:
    """Return the lines of the calls, the innermost first."""
    outer = chain(sites[site.id(4)], sites, constants) if len(site.operands) > 4 else ()
    return (constants[site.id(2)], *outer)


def test_the_size_counts_every_inlined_copy() -> None:
    """The size that decides between promotion and spirv-opt grows with each call."""
    options = CompileOptions(debug=("vulkan",), codegen_only=True)
    modules = [
        compile_shader(SOURCE.replace("sum += nested", f"{calls} sum += nested"), profile="cs_6_0", options=options)
        for calls in ("", "sum += nested(1, s);")
    ]
    sizes = [inlined_size(decode(result.spirv)) for result in modules]
    assert sizes[1] > sizes[0] + 40
