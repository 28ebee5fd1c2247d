"""A vertex and a pixel shader with every kind of resource, compiled for the tests of conversions."""

from __future__ import annotations

from functools import cache

from hlsl_tool import CompileOptions, compile_shader

SOURCE = """\
struct Varyings { float4 position : SV_Position; float2 uv : TEXCOORD0; };
cbuffer Camera : register(b0) { float4x4 view; };
struct Push { float2 offset; };
[[vk::push_constant]] Push push;
Texture2D albedo : register(t1);
Texture2D rough : register(t2);
SamplerState linearWrap : register(s5);
StructuredBuffer<float4> lights : register(t3);
RWStructuredBuffer<float> result : register(u4);
Buffer<float4> texels : register(t6);

Varyings VSMain(float3 p : POSITION, float2 uv : UV, uint id : SV_InstanceID)
{
    Varyings v = { mul(view, float4(p, 1)), uv + push.offset + id };
    return v;
}

Varyings VSSimple(float3 p : POSITION, float2 uv : UV) { Varyings v = { mul(view, float4(p, 1)), uv }; return v; }

float4 PSMain(Varyings v) : SV_Target
{
    float colour[2] = { v.uv.x, v.uv.y };
    result[0] = colour[uint(v.uv.x) & 1];
    return albedo.Sample(linearWrap, v.uv) * rough.Sample(linearWrap, v.uv) + lights[0] + texels[1];
}

float4 Simple(Varyings v) : SV_Target { return albedo.Sample(linearWrap, v.uv) * rough.Sample(linearWrap, v.uv); }
float3 Depth(Varyings v) : SV_Target { return v.position.xyz; }
"""


@cache
def compiled(entry: str, profile: str = "ps_6_0") -> bytes:
    """Return the module of an entry point of `SOURCE`."""
    result = compile_shader(SOURCE, entry=entry, profile=profile, options=CompileOptions())
    assert result.ok, result.diagnostics
    return result.spirv
