// Bloom: soft threshold, a 13-tap downsample that weighs out fireflies, and a tent upsample added level by level.
#include "fullscreen.hlsli"
#include "common.hlsli"

cbuffer Bloom : register(b0)
{
    float2 texel;           // of the source
    float threshold;
    float knee;
    float radius;
    float intensity;
    uint level;
};

Texture2D<float3> source : register(t0);
Texture2D<float3> below : register(t1);
SamplerState linearClamp : register(s0);

FullscreenVertex VSMain(uint id : SV_VertexID)
{
    return fullscreenTriangle(id);
}

float3 tap(float2 uv, float x, float y)
{
    return source.SampleLevel(linearClamp, uv + float2(x, y) * texel, 0.0);
}

float karis(float3 c)
{
    return rcp(1.0 + luminance(c));
}

float4 PSThreshold(FullscreenVertex i) : SV_Target
{
    const float3 c = tap(i.uv, 0.0, 0.0);
    const float brightness = maxComponent(c);
    float soft = clamp(brightness - threshold + knee, 0.0, 2.0 * knee);
    soft = soft * soft / (4.0 * knee + EPSILON);
    const float factor = max(soft, brightness - threshold) / max(brightness, EPSILON);
    return float4(min(c * factor, 65000.0), 1.0);
}

float4 PSDownsample(FullscreenVertex i) : SV_Target
{
    const float3 a = tap(i.uv, -2, -2), b = tap(i.uv, 0, -2), c = tap(i.uv, 2, -2);
    const float3 d = tap(i.uv, -1, -1), e = tap(i.uv, 1, -1);
    const float3 f = tap(i.uv, -2, 0), g = tap(i.uv, 0, 0), h = tap(i.uv, 2, 0);
    const float3 j = tap(i.uv, -1, 1), k = tap(i.uv, 1, 1);
    const float3 l = tap(i.uv, -2, 2), m = tap(i.uv, 0, 2), n = tap(i.uv, 2, 2);
    const float3 boxes[5] =
    {
        (d + e + j + k) * 0.25, (a + b + f + g) * 0.25, (b + c + g + h) * 0.25, (f + g + l + m) * 0.25,
        (g + h + m + n) * 0.25
    };
    static const float WEIGHTS[5] = { 0.5, 0.125, 0.125, 0.125, 0.125 };

    float3 sum = 0.0;
    float total = 0.0;
    [unroll]
    for (int q = 0; q < 5; ++q)
    {
        const float w = WEIGHTS[q] * (level == 0 ? karis(boxes[q]) : 1.0);
        sum += boxes[q] * w;
        total += w;
    }
    return float4(sum / total, 1.0);
}

float4 PSUpsample(FullscreenVertex i) : SV_Target
{
    static const int KERNEL[3][3] = { { 1, 2, 1 }, { 2, 4, 2 }, { 1, 2, 1 } };
    float3 sum = 0.0;
    [unroll]
    for (int y = -1; y <= 1; ++y)
        [unroll]
        for (int x = -1; x <= 1; ++x)
            sum += tap(i.uv, x * radius, y * radius) * KERNEL[y + 1][x + 1];
    const float3 base = below.SampleLevel(linearClamp, i.uv, 0.0);
    return float4(base + sum * (intensity / 16.0), 1.0);
}
