// Resolves multi-sampled targets: colour by weighted samples, depth by the nearest, and edges for per-sample shading.
#include "fullscreen.hlsli"
#include "common.hlsli"

#ifndef SAMPLES
#define SAMPLES 4
#endif

cbuffer Resolve : register(b0)
{
    float exposure;
    float filterWidth;
    uint2 size;
};

Texture2DMS<float4> colour : register(t0);
Texture2DMS<float, SAMPLES> depth : register(t1);
Texture2DMS<float4, SAMPLES> normals : register(t2);

FullscreenVertex VSMain(uint id : SV_VertexID)
{
    return fullscreenTriangle(id);
}

struct Resolved
{
    float4 colour : SV_Target0;
    float edge : SV_Target1;
    float depth : SV_DepthGreaterEqual;
};

float weight(float2 position)
{
    return saturate(1.0 - length(position) / filterWidth);
}

Resolved PSMain(FullscreenVertex i)
{
    const int2 pixel = int2(i.position.xy);
    uint width, height, samples;
    colour.GetDimensions(width, height, samples);

    float4 sum = 0.0;
    float total = 0.0;
    for (uint n = 0; n < samples; ++n)
    {
        const float2 at = colour.GetSamplePosition(n);
        const float4 c = colour.Load(pixel, n);
        const float w = weight(at) / (1.0 + luminance(c.rgb) * exposure);
        sum += c * w;
        total += w;
    }

    Resolved o;
    o.colour = sum / max(total, EPSILON);
    o.depth = 0.0;
    float3 low = 1.0, high = -1.0;
    [unroll]
    for (int s = 0; s < SAMPLES; ++s)
    {
        o.depth = max(o.depth, depth.Load(pixel, s));
        const float3 normal = normals.sample[s][pixel].xyz;
        low = min(low, normal);
        high = max(high, normal);
    }
    o.edge = step(0.1, maxComponent(high - low));
    return o;
}

float4 PSSample(FullscreenVertex i, uint index : SV_SampleIndex) : SV_Target
{
    const float2 offset = colour.GetSamplePosition(int(index));
    const float4 c = colour.Load(int2(i.position.xy), int(index));
    return float4(c.rgb + float3(offset, 0.0) * 0.001, c.a);
}
