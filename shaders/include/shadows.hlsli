// Cascaded shadow maps: choosing the cascade, filtering by a grid or a rotated Poisson disc.
#ifndef SHADOWS_HLSLI
#define SHADOWS_HLSLI

#define CASCADES 4

struct ShadowCascades
{
    float4x4 matrices[CASCADES];
    float4 splits;
    float2 texel;
    float bias;
    float normalOffset;
};

static const float2 POISSON[8] =
{
    float2(-0.3262, -0.4058), float2(-0.8401, -0.0736), float2(-0.6959, 0.4571), float2(-0.2033, 0.6207),
    float2(0.9623, -0.1950), float2(0.4734, -0.4800), float2(0.5195, 0.7670), float2(0.1855, -0.8931)
};

uint cascadeOf(ShadowCascades cascades, float viewDepth)
{
    uint index = 0;
    [unroll]
    for (uint i = 0; i < CASCADES - 1; ++i)
        index += viewDepth > cascades.splits[i] ? 1 : 0;
    return index;
}

float3 shadowPosition(ShadowCascades cascades, uint cascade, float3 world, float3 normal)
{
    const float3 moved = world + normal * cascades.normalOffset * float(cascade + 1);
    const float4 clip = mul(cascades.matrices[cascade], float4(moved, 1.0));
    const float3 ndc = clip.xyz / clip.w;
    return float3(ndc.x * 0.5 + 0.5, 0.5 - ndc.y * 0.5, ndc.z - cascades.bias);
}

float shadowGrid(Texture2DArray<float> map, SamplerComparisonState compare, float3 at, uint cascade, float2 texel)
{
    float lit = 0.0;
    [unroll]
    for (int y = -1; y <= 1; ++y)
    {
        [unroll]
        for (int x = -1; x <= 1; ++x)
            lit += map.SampleCmpLevelZero(compare, float3(at.xy + float2(x, y) * texel, cascade), at.z);
    }
    return lit / 9.0;
}

float shadowDisc(Texture2DArray<float> map, SamplerComparisonState compare, float3 at, uint cascade, float radius,
                 float angle)
{
    float s, c;
    sincos(angle, s, c);
    const float2x2 rotation = float2x2(c, -s, s, c);
    float lit = 0.0;
    for (int i = 0; i < 8; i++)
    {
        const float2 offset = mul(rotation, POISSON[i]) * radius;
        lit += map.SampleCmpLevelZero(compare, float3(at.xy + offset, cascade), at.z);
    }
    return lit * 0.125;
}

#endif
