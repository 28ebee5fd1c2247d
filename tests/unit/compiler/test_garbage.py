"""A compilation leaves no reference cycles behind: its memory is freed without the garbage collector."""

import gc

import pytest

from hlsl_tool import CompileOptions, compile_shader
from hlsl_tool.compiler.result import Memory

pytestmark = pytest.mark.usefixtures("frozen")

SHADER = """
struct Light { float3 position; float range; };
StructuredBuffer<Light> lights;
Texture2D albedo : register(t1);
SamplerState linear_sampler;
static const float3 up = float3(0, 1, 0);
static float3 sum;
float falloff(float d, float range) { return saturate(1 - d / range); }
void add(Light l, float3 p) { sum += falloff(length(l.position - p), l.range) * up; }
float4 main(float2 uv : TEXCOORD, float3 p : POSITION) : SV_Target {
    for (uint i = 0; i < 4; i++) add(lights[i], p);
    return albedo.Sample(linear_sampler, uv) * float4(sum, 1);
}
"""


@pytest.mark.parametrize("debug", [(), ("line",)], ids=["plain", "line"])
def test_no_cycles(debug: tuple[str, ...]) -> None:
    memory = Memory()
    options = CompileOptions(debug=debug)
    assert compile_shader(SHADER, profile="ps_6_0", options=options, memory=memory).ok  # fills caches
    gc.collect()
    gc.disable()
    try:
        result = compile_shader(SHADER, profile="ps_6_0", options=options, memory=memory)
        gc.set_debug(gc.DEBUG_SAVEALL)
        del result
        gc.collect()
        names = {type(each).__name__ for each in gc.garbage} & {"Lowering", "Module", "Instruction", "Promoter"}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert not names
