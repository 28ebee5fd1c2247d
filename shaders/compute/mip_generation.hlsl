// Four mip levels in one dispatch through group-shared memory; correct for odd sizes, sRGB and normal maps by define.
#include "colour.hlsli"

#define KIND_COLOUR 0
#define KIND_SRGB 1
#define KIND_NORMAL 2

#ifndef KIND
#define KIND KIND_COLOUR
#endif

cbuffer Mips : register(b0)
{
    uint sourceLevel;
    uint levels;
    float2 texel;       // of the first level that is written
};

Texture2D<float4> source : register(t0);
SamplerState linearClamp : register(s0);
RWTexture2D<float4> mip1 : register(u0);
RWTexture2D<float4> mip2 : register(u1);
RWTexture2D<float4> mip3 : register(u2);
RWTexture2D<float4> mip4 : register(u3);

// Components apart: fewer bank conflicts.
groupshared float red[64];
groupshared float green[64];
groupshared float blue[64];
groupshared float alpha[64];

void keep(uint index, float4 c)
{
    red[index] = c.r;
    green[index] = c.g;
    blue[index] = c.b;
    alpha[index] = c.a;
}

float4 recall(uint index)
{
    return float4(red[index], green[index], blue[index], alpha[index]);
}

float4 finish(float4 c)
{
#if KIND == KIND_SRGB
    return float4(colour::toSrgb(c.rgb), c.a);
#elif KIND == KIND_NORMAL
    const float3 n = normalize(c.xyz * 2.0 - 1.0);
    return float4(n * 0.5 + 0.5, c.a);
#else
    return c;
#endif
}

float4 fetch(float2 uv)
{
    float4 c = source.SampleLevel(linearClamp, uv, float(sourceLevel));
#if KIND == KIND_SRGB
    c.rgb = colour::fromSrgb(c.rgb);
#endif
    return c;
}

float4 reduce(uint index, uint step, float4 own)
{
    return 0.25 * (own + recall(index + step) + recall(index + 8 * step) + recall(index + 9 * step));
}

[numthreads(8, 8, 1)]
void CSMain(uint index : SV_GroupIndex, uint3 id : SV_DispatchThreadID)
{
    const float2 uv = texel * (float2(id.xy) + 0.25);
    const float2 offset = texel * 0.5;
    float4 c = fetch(uv) + fetch(uv + float2(offset.x, 0.0));
    c += fetch(uv + float2(0.0, offset.y)) + fetch(uv + offset);
    c *= 0.25;
    mip1[id.xy] = finish(c);
    if (levels == 1)
        return;
    keep(index, c);
    GroupMemoryBarrierWithGroupSync();

    if ((index & 0x9) == 0)
    {
        c = reduce(index, 1, c);
        mip2[id.xy / 2] = finish(c);
        keep(index, c);
    }
    if (levels == 2)
        return;
    GroupMemoryBarrierWithGroupSync();

    if ((index & 0x1b) == 0)
    {
        c = reduce(index, 2, c);
        mip3[id.xy / 4] = finish(c);
        keep(index, c);
    }
    if (levels == 3)
        return;
    GroupMemoryBarrierWithGroupSync();

    if (index == 0)
        mip4[id.xy / 8] = finish(reduce(index, 4, c));
}
