"""A function that several entry points of a library reach gives each of them the execution modes that it needs."""

from __future__ import annotations

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.compiler.result import Memory
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.enums import ExecutionMode as Mode

ENTRIES = {
    "A": '[shader("compute")][numthreads(8, 8, 1)] void A(uint3 i : SV_DispatchThreadID) { o[i.x] = outer(i.xy); }',
    "B": '[shader("compute")][numthreads(64, 1, 1)] void B(uint3 i : SV_DispatchThreadID) { o[i.x] = outer(i.yx); }',
    "C": '[shader("compute")][numthreads(8, 8, 1)] void C(uint3 i : SV_DispatchThreadID) { o[i.x] = 2; }',
    "P": '[shader("pixel")] float4 P(float2 uv : UV) : SV_Target { return outer(uv); }',
}
SHARED = """
RWStructuredBuffer<float4> o;
Texture2D<float4> t;
SamplerState s;
float4 shade(float2 uv) { return %s; }
float4 outer(float2 uv) { return shade(uv) * 2; }
"""


def modes(source: str, memory: Memory | None = None, **options: object) -> dict[str, set[int]]:
    """Return entry point → its execution modes, of a library."""
    configured = CompileOptions(target_env="vulkan1.3", **options)  # type: ignore[arg-type]
    result = compile_shader(source, profile="lib_6_6", options=configured, memory=memory)
    assert result.ok, [d.message for d in result.diagnostics]
    module = decode(result.spirv)
    names = {entry.id(1): result.reflect().entry_points[at].name for at, entry in enumerate(module.entry_points)}
    found: dict[str, set[int]] = {name: set() for name in names.values()}
    for inst in module.execution_modes:
        found[names[inst.id(0)]].add(inst.id(1))
    return found


@pytest.mark.parametrize("level", ["none", "performance"])
@pytest.mark.parametrize("order", ["ABCP", "PBAC", "CPAB"])
@pytest.mark.parametrize("value", ["ddx(uv).xyxy", "t.Sample(s, uv)"])
def test_derivatives(value: str, order: str, level: str) -> None:
    found = modes(SHARED % value + "\n".join(ENTRIES[name] for name in order), optimize=level)
    groups = {Mode.DerivativeGroupQuadsKHR, Mode.DerivativeGroupLinearKHR}
    assert {name: found[name] & groups for name in order} == {
        "A": {Mode.DerivativeGroupQuadsKHR},
        "B": {Mode.DerivativeGroupLinearKHR},
        "C": set(),
        "P": set(),
    }


def test_critical_sections() -> None:
    """Each pixel shader has the mode of its own inputs."""
    source = """
    RasterizerOrderedTexture2D<float4> r;
    float4 add(float4 p) { r[uint2(p.xy)] += 1; return 0; }
    [shader("pixel")] float4 A(float4 p : SV_Position, uint i : SV_SampleIndex) : SV_Target { return add(p) + i; }
    [shader("pixel")] float4 B(float4 p : SV_Position) : SV_Target { return add(p); }
    [shader("pixel")] float4 C(float4 p : SV_Position) : SV_Target { return p; }
    """
    found = modes(source)
    ordered = {Mode.PixelInterlockOrderedEXT, Mode.SampleInterlockOrderedEXT}
    assert [found[name] & ordered for name in "ABC"] == [
        {Mode.SampleInterlockOrderedEXT},
        {Mode.PixelInterlockOrderedEXT},
        set(),
    ]


def test_modes_of_inline_spirv() -> None:
    source = """
    RWStructuredBuffer<float> o;
    float f(float x) { vk::ext_execution_mode(4462, 32); return x; }
    [shader("compute")][numthreads(1, 1, 1)] void A() { o[0] = f(1); }
    [shader("compute")][numthreads(1, 1, 1)] void B() { o[1] = f(2); }
    [shader("compute")][numthreads(1, 1, 1)] void C() { o[2] = 3; }
    """
    found = modes(source, validate="no")
    assert [4462 in found[name] for name in "ABC"] == [True, True, False]


def test_memories_change_nothing() -> None:
    """Recordings of functions (`codegen.lower.functions.shared`) are not replayed without their modes."""
    source = SHARED % "ddx(uv).xyxy" + ENTRIES["P"] + ENTRIES["A"]
    memory = Memory()
    expected = modes(source)
    assert [modes(source, memory) for _ in range(4)] == [expected] * 4
