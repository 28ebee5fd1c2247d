// Ambient occlusion in screen space: a hemisphere of samples around the normal, then a blur that respects edges.
#include "frame.hlsli"
#include "fullscreen.hlsli"
#include "packing.hlsli"
#include "common.hlsli"
#include "noise.hlsli"

#ifndef SAMPLES
#define SAMPLES 16
#endif

cbuffer Occlusion : register(b1)
{
    float4 kernel[SAMPLES];
    float radius;
    float bias;
    float power;
    float falloff;
    float2 blurDirection;
};

Texture2D<float> sceneDepth : register(t0);
Texture2D<float2> sceneNormal : register(t1);
Texture2D<float> occlusion : register(t2);
SamplerState pointClamp : register(s0);

FullscreenVertex VSMain(uint id : SV_VertexID)
{
    return fullscreenTriangle(id);
}

float viewDepthAt(float2 uv)
{
    return linearDepth(sceneDepth.SampleLevel(pointClamp, uv, 0), camera.planes);
}

float PSMain(FullscreenVertex i) : SV_Target
{
    const float depth = sceneDepth.SampleLevel(pointClamp, i.uv, 0);
    if (depth >= 1.0)
        return 1.0;
    const float3 world = fromDepth(i.uv, depth);
    const float3 normal = decodeNormal(sceneNormal.SampleLevel(pointClamp, i.uv, 0));
    const float angle = interleavedGradient(i.position.xy) * TWO_PI;
    float3 t, b;
    basis(normal, t, b);
    const float3 t2 = t * cos(angle) + b * sin(angle);
    const float3x3 hemisphere = float3x3(t2, cross(normal, t2), normal);

    float sum = 0.0;
    [unroll(SAMPLES)]
    for (int n = 0; n < SAMPLES; ++n)
    {
        const float3 at = world + mul(kernel[n].xyz, hemisphere) * radius;
        const float4 clip = toClip(at);
        const float2 uv = FLIP_V(clip.xy / clip.w * 0.5 + 0.5);
        if (any(uv < 0.0) || any(uv > 1.0))
            continue;
        const float there = viewDepthAt(uv);
        const float range = smoothstep(0.0, 1.0, radius / (abs(clip.w - there) * falloff + EPSILON));
        sum += step(there, clip.w - bias) * range * kernel[n].w;
    }
    return pow(saturate(1.0 - sum / SAMPLES), power);
}

float PSBlur(FullscreenVertex i) : SV_Target
{
    static const float GAUSS[5] = { 0.20236, 0.179044, 0.124009, 0.067234, 0.028532 };
    const float centre = viewDepthAt(i.uv);
    float sum = occlusion.SampleLevel(pointClamp, i.uv, 0) * GAUSS[0];
    float total = GAUSS[0];
    for (int n = -4; n <= 4; ++n)
    {
        if (n == 0)
            continue;
        const float2 uv = i.uv + blurDirection * n;
        const float w = GAUSS[abs(n)] * exp(-abs(viewDepthAt(uv) - centre) * 4.0);
        sum += occlusion.SampleLevel(pointClamp, uv, 0) * w;
        total += w;
    }
    return sum / total;
}
