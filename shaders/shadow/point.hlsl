// Shadows of point lights: one face of a cube at a time with clipping planes, and the comparison in the lit pass.
#include "frame.hlsli"
#include "common.hlsli"

struct PointLight
{
    float4x4 faces[6];
    float3 position;
    float inverseRange;
    float4 cutPlanes[2];
};

cbuffer Cube : register(b1)
{
    PointLight light;
    float4x4 world;
    uint face;
    uint cube;
};

TextureCubeArray<float> shadowCube : register(t0);
TextureCube<float> coarse : register(t1);
SamplerComparisonState compareLess : register(s0);
SamplerState linearClamp : register(s1);

struct Interpolants
{
    precise float4 clip : SV_Position;
    float3 offset : OFFSET;
    nointerpolation uint slice : SLICE;
    float2 cut : SV_ClipDistance0;
};

Interpolants VSMain(float3 position : POSITION)
{
    const float4 at = mul(world, float4(position, 1.0));
    Interpolants o;
    o.clip = mul(light.faces[face], at);
    o.offset = at.xyz - light.position;
    o.slice = cube;
    o.cut = float2(dot(light.cutPlanes[0], at), dot(light.cutPlanes[1], at));
    return o;
}

float PSDistance(Interpolants i) : SV_Depth
{
    return saturate(length(i.offset) * light.inverseRange);
}

float4 PSMain(Interpolants i) : SV_Target
{
    static const float3 OFFSETS[4] = { float3(1, 1, 1), float3(1, -1, -1), float3(-1, 1, -1), float3(-1, -1, 1) };
    const float reference = saturate(length(i.offset) * light.inverseRange) - 0.002;
    float lit = 0.0;
    [loop]
    for (int n = 0; n < 4; ++n)
    {
        const float3 d = i.offset + OFFSETS[n] * 0.02;
        lit += shadowCube.SampleCmp(compareLess, float4(d, i.slice), reference);
    }
    const float4 around = coarse.GatherCmp(compareLess, i.offset, reference);
    const float level = coarse.CalculateLevelOfDetail(linearClamp, i.offset);
    lit = lerp(lit * 0.25, dot(around, 0.25), saturate(level * 0.1));
    return float4(lit.xxx, coarse.SampleBias(linearClamp, i.offset, 1.0));
}
