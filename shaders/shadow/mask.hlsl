// Screen-space shadow mask: finds the pixel's cascade, filters it, blends into the next one near its border.
// FILTER: 0 one tap, 1 a grid of nine, 2 a rotated disc.  Variance shadow maps with MOMENTS.
#include "frame.hlsli"
#include "fullscreen.hlsli"
#include "shadows.hlsli"
#include "noise.hlsli"
#include "packing.hlsli"

cbuffer Shadow : register(b1)
{
    ShadowCascades cascades;
    float blendRange;
    float discRadius;
    float2 varianceLimits;      // least variance, bleeding reduction
};

Texture2D<float> sceneDepth : register(t0);
Texture2D<float2> sceneNormal : register(t1);
#ifdef MOMENTS
Texture2DArray<float2> shadowMap : register(t2);
#else
Texture2DArray<float> shadowMap : register(t2);
#endif
SamplerState pointClamp : register(s0);
SamplerState linearClamp : register(s1);
SamplerComparisonState compareLess : register(s2);

FullscreenVertex VSMain(uint id : SV_VertexID)
{
    return fullscreenTriangle(id);
}

#ifdef MOMENTS
float chebyshev(float2 moments, float depth)
{
    if (depth <= moments.x)
        return 1.0;
    const float variance = max(moments.y - moments.x * moments.x, varianceLimits.x);
    const float d = depth - moments.x;
    const float p = variance / (variance + d * d);
    return saturate((p - varianceLimits.y) / (1.0 - varianceLimits.y));
}
#endif

float visibility(uint cascade, float3 world, float3 normal, float2 pixel)
{
    const float3 at = shadowPosition(cascades, cascade, world, normal);
#ifdef MOMENTS
    return chebyshev(shadowMap.SampleLevel(linearClamp, float3(at.xy, cascade), 0), at.z);
#elif FILTER == 0
    return shadowMap.SampleCmpLevelZero(compareLess, float3(at.xy, cascade), at.z);
#elif FILTER == 1
    return shadowGrid(shadowMap, compareLess, at, cascade, cascades.texel);
#else
    const float angle = interleavedGradient(pixel) * 6.2831853;
    return shadowDisc(shadowMap, compareLess, at, cascade, discRadius, angle);
#endif
}

float PSMain(FullscreenVertex i) : SV_Target
{
    const float depth = sceneDepth.SampleLevel(pointClamp, i.uv, 0);
    if (depth >= 1.0)
        return 1.0;
    const float3 world = fromDepth(i.uv, depth);
    const float3 normal = decodeNormal(sceneNormal.SampleLevel(pointClamp, i.uv, 0));
    const float viewDepth = mul(camera.view, float4(world, 1.0)).z;
    const uint cascade = cascadeOf(cascades, viewDepth);

    float lit = visibility(cascade, world, normal, i.position.xy);
    const float border = cascades.splits[cascade] - viewDepth;
    [branch]
    if (cascade + 1 < CASCADES && border < blendRange)
    {
        const float next = visibility(cascade + 1, world, normal, i.position.xy);
        lit = lerp(next, lit, saturate(border / blendRange));
    }
    return lit;
}
