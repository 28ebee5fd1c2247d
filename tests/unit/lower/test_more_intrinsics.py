"""Intrinsic functions whose results a compute shader cannot output: their instructions, and that they are valid."""

from __future__ import annotations

from typing import Any

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import CompileResult, Memory
from hlsl_tool.spirv import debug_printf, glsl, op
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv.ir import Instruction


def compiled(text: str, profile: str, **options: Any) -> CompileResult:
    return compile_shader(text, profile=profile, options=CompileOptions(**options))


def code(text: str, profile: str, **options: Any) -> list[Instruction]:
    """Return the instructions in the functions of a valid module."""
    result = compiled(text, profile, **options)
    assert result.module is not None, [d.message for d in result.diagnostics]
    return [i for f in result.module.functions for i in f.instructions()]


def first_error(text: str, profile: str, **options: Any) -> str:
    result = compiled(text, profile, **options)
    assert not result.ok
    return next(d.message for d in result.diagnostics if d.severity == "error")


def pixel(declarations: str, parameters: str, expression: str) -> str:
    return f"{declarations}\nfloat4 main({parameters}) : SV_Target {{ return {expression}; }}"


COMPUTE = "[numthreads(1, 1, 1)] void main() {{ {} }}"


# -------------------------------------------------------------------------------------------------------- interpolation


@pytest.mark.parametrize(
    ("call", "number"),
    [
        ("EvaluateAttributeCentroid(%s)", glsl.InterpolateAtCentroid),
        ("EvaluateAttributeAtSample(%s, 2)", glsl.InterpolateAtSample),
        ("EvaluateAttributeSnapped(%s, int2(1, -2))", glsl.InterpolateAtOffset),
    ],
)
@pytest.mark.parametrize("optimize", ["performance", "none"])
@pytest.mark.parametrize("source", ["c", "c.zyx", "s.c", "f"])
def test_interpolation_takes_the_input_itself(call: str, number: int, optimize: str, source: str) -> None:
    what = {"c": ("c", "%s"), "c.zyx": ("c.zyx", "(%s).xyzz"), "s.c": ("s.c", "%s"), "f": ("x", "%s")}[source]
    value = what[1] % (call % what[0])
    helper = f"float4 f(float4 x) {{ return {value}; }}" if source == "f" else ""
    text = pixel("struct S { float4 c : D; };" + helper, "float4 c : C, S s", "f(c)" if source == "f" else value)
    result = compiled(text, "ps_6_0", optimize=optimize)
    assert result.module is not None, [d.message for d in result.diagnostics]
    inputs = {i.result_id for i in result.module.globals if i.op == op.OpVariable and i.id(0) == e.StorageClass.Input}
    body = [i for f in result.module.functions for i in f.instructions()]
    found = [i for i in body if i.op == op.OpExtInst and i.id(1) == number]
    assert found and all(i.id(2) in inputs for i in found)


# ----------------------------------------------------------------------------------------------- attributes at vertices

ATTRIBUTES = """
struct N { float4 c; };
struct In { nointerpolation float4 a : A; nointerpolation N n : B; };
float4 h(nointerpolation float4 x) { return GetAttributeAtVertex(x, 2); }
float4 g(nointerpolation float4 x) { return h(x) + x; }
float at(nointerpolation float x, uint vertex) { return GetAttributeAtVertex(x, vertex); }
float4 first(nointerpolation float4 x) { x.y = 1; return GetAttributeAtVertex(x, 1) + x; }
"""


@pytest.mark.parametrize("optimize", ["performance", "none"])
@pytest.mark.parametrize(
    "expression",
    [
        "GetAttributeAtVertex(p, 1)",
        "GetAttributeAtVertex(i.a, k)",
        "GetAttributeAtVertex(i.n.c, 0) + i.n.c",
        "GetAttributeAtVertex(p.yx, 2).xyxy + p",
        "g(i.n.c)",
        "GetAttributeAtVertex(p, 1) + g(p)",
        "h(p) + h(i.a) + g(i.n.c) + g(p.zyxw)",
        "at(p.y, k) + at(i.a.x, 0) + first(p)",
    ],
)
def test_attributes_of_vertices(expression: str, optimize: str) -> None:
    text = pixel(ATTRIBUTES, "nointerpolation float4 p : P, In i, nointerpolation uint k : K", expression)
    result = compiled(text, "ps_6_1", optimize=optimize)
    assert result.module is not None, [d.message for d in result.diagnostics]
    marks = {(i.id(0), i.id(1)) for i in result.module.annotations if i.op == op.OpDecorate}
    vertices = {i for i, mark in marks if mark == e.Decoration.PerVertexKHR}
    assert vertices
    assert not any((i, e.Decoration.Flat) in marks for i in vertices)
    read = {op.OpAccessChain, op.OpLoad}
    reads = [i for f in result.module.functions for i in f.instructions() if i.op in read and i.id(0) in vertices]
    assert {i.id(0) for i in reads} == vertices


def test_a_memory_follows_what_functions_read_at_vertices() -> None:
    text = """
    float h(nointerpolation float x) {{ return {}; }}
    float g(nointerpolation float x) {{ return h(x) + 1; }}
    float4 main(nointerpolation float a : A, nointerpolation float b : B) : SV_Target {{ return g(a) + g(b); }}
    """
    memory = Memory()
    for expression in ("x", "x", "x", "GetAttributeAtVertex(x, 1)", "GetAttributeAtVertex(x, 2)", "x"):
        source = text.format(expression)
        warm = compile_shader(source, profile="ps_6_1", options=CompileOptions(), memory=memory)
        assert warm.ok and warm.spirv == compile_shader(source, profile="ps_6_1", options=CompileOptions()).spirv


@pytest.mark.parametrize(
    ("profile", "parameters", "expression", "message"),
    [
        (
            "vs_6_1",
            "nointerpolation float4 p : P",
            "GetAttributeAtVertex(p, 0)",
            "GetAttributeAtVertex only allowed in pixel shader",
        ),
        ("ps_6_1", "nointerpolation bool4 p : P", "GetAttributeAtVertex(p, 0)", "attribute evaluation"),
        ("ps_6_1", "nointerpolation float4 p : P", "GetAttributeAtVertex(p * 2, 0)", "must have a 'nointerpolation'"),
        ("ps_6_1", "float4 p : P", "h(p)", "parameter 0 of h must have a 'nointerpolation' attribute"),
        ("ps_6_1", "nointerpolation float4 p : P", "g(p * 2)", "parameter 0 of g must have a 'nointerpolation'"),
    ],
)
def test_an_argument_that_is_no_attribute_is_an_error(
    profile: str, parameters: str, expression: str, message: str
) -> None:
    text = pixel(ATTRIBUTES, parameters, expression)
    if profile.startswith("vs"):
        text = text.replace("SV_Target", "SV_Position")
    assert message in first_error(text, profile)


# ------------------------------------------------------------------------------------------------------------- pointers


def test_values_behind_addresses() -> None:
    text = """
        struct S { bool flag; float3 v; column_major float2x3 m; };
        uint64_t address;
        RWStructuredBuffer<S> o;
        [numthreads(1, 1, 1)] void main() {
            S s = vk::RawBufferLoad<S>(address, 16);
            s.v += vk::RawBufferLoad<float3>(address + 64);
            s.flag = s.flag && vk::RawBufferLoad<bool>(address + 80);
            o[vk::RawBufferLoad(address + 88)] = s;
            vk::RawBufferStore<S>(address, s, 16);
            vk::RawBufferStore<double>(address + 96, 2.0L, 8);
            vk::RawBufferStore<bool2>(address + 104, s.flag.xx);
        }"""
    for options in ({}, {"target_env": "vulkan1.3"}, {"optimize": "none"}):
        body = code(text, "cs_6_0", **options)
        assert any(i.op == op.OpLoad and i.ints()[1:] == [e.MemoryAccess.Aligned, 16] for i in body)
        assert any(i.op == op.OpStore and i.ints()[2:] == [e.MemoryAccess.Aligned, 8] for i in body)


@pytest.mark.parametrize("alignment", ["-16", "n"])
def test_alignment_is_constant(alignment: str) -> None:
    text = "uint n;" + COMPUTE.format(f"uint64_t a = 8; vk::RawBufferStore<float>(a, 1, {alignment});")
    assert first_error(text, "cs_6_0") == "alignment argument must be a constant unsigned integer"


def test_clock() -> None:
    body = code("RWBuffer<uint> o;" + COMPUTE.format("o[0] = uint(vk::ReadClock(vk::SubgroupScope));"), "cs_6_0")
    assert [i.op for i in body].count(op.OpReadClockKHR) == 1


# ------------------------------------------------------------------------------------------------------------ debugging


def test_messages_and_stops() -> None:
    text = 'const string f = "%d and %f"; string g = "plain";' + COMPUTE.format(
        'printf(f, 1, 2.0); printf(g); printf("literal"); DebugBreak();'
    )
    result = compiled(text, "cs_6_10")
    assert result.module is not None, [d.message for d in result.diagnostics]
    sets = {i.text(0): i.result_id for i in result.module.ext_inst_imports}
    body = [i for f in result.module.functions for i in f.instructions() if i.op == op.OpExtInst]
    assert [i.id(0) for i in body] == [sets[debug_printf.SET]] * 3 + [sets["NonSemantic.DebugBreak"]]
    assert [len(i.operands) for i in body] == [5, 3, 3, 2]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("abort()", "abort"),
        ("dx::IsDebuggingEnabled()", "IsDebuggingEnabled"),
        ("GetRenderTargetSampleCount()", "GetRenderTargetSampleCount"),
    ],
)
def test_no_equivalent(call: str, name: str) -> None:
    assert first_error(COMPUTE.format(f"{call};"), "cs_6_0") == (
        f"no equivalent for {name} intrinsic function in Vulkan"
    )


# ---------------------------------------------------------------------------------------------------------------- modes


def test_execution_modes_by_number() -> None:
    text = pixel("uint n;", "", "0").replace("return", "vk::ext_execution_mode(4460, 32); return")
    result = compiled(text, "ps_6_0", target_env="vulkan1.2")
    assert result.module is not None, [d.message for d in result.diagnostics]
    assert [4460, 32] in [i.operands[1:] for i in result.module.execution_modes]
    assert "constant" in first_error(text.replace("4460, 32", "n"), "ps_6_0")


def test_execution_modes_with_ids() -> None:
    """`vk::ext_execution_mode_id` gives an OpExecutionModeId whose operands are the ids of constants."""
    text = COMPUTE.format("vk::ext_execution_mode_id(/* LocalSizeId */ 38, 4, 2, 1);")
    result = compiled(text, "cs_6_0", target_env="vulkan1.3")
    assert result.module is not None, [d.message for d in result.diagnostics]
    mode = next(i for i in result.module.execution_modes if i.op == op.OpExecutionModeId)
    values = {i.result_id: i.operands[0] for i in result.module.globals if i.op == op.OpConstant}
    assert mode.operands[1] == 38
    assert [values[i] for i in mode.operands[2:]] == [4, 2, 1]


# -------------------------------------------------------------------------------------------------------------- helpers


@pytest.mark.parametrize("target_env", ["vulkan1.0", "vulkan1.2", "vulkan1.3"])
def test_helper_lanes(target_env: str) -> None:
    body = code(pixel("", "float4 c : C", "IsHelperLane() ? c : ddx(c)"), "ps_6_0", target_env=target_env)
    asked = [i for i in body if i.op == op.OpIsHelperInvocationEXT]
    assert len(asked) == (target_env != "vulkan1.3")
