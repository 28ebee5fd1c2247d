// Temporal anti-aliasing: reprojects history, clips it to the neighbourhood's variance in YCoCg, blends by motion.
#include "frame.hlsli"
#include "fullscreen.hlsli"
#include "colour.hlsli"
#include "common.hlsli"

cbuffer Temporal : register(b1)
{
    float blend;
    float varianceScale;
    float sharpness;
    uint reset;
};

Texture2D<float4> current : register(t0);
Texture2D<float4> history : register(t1);
Texture2D<float2> velocity : register(t2);
Texture2D<float> depth : register(t3);
SamplerState linearClamp : register(s0);
SamplerState pointClamp : register(s1);

FullscreenVertex VSMain(uint id : SV_VertexID)
{
    return fullscreenTriangle(id);
}

struct Neighbourhood
{
    float3 mean;
    float3 deviation;
    float3 low;
    float3 high;

    float3 clipTowards(float3 c, float3 centre)
    {
        const float3 extent = 0.5 * (high - low) + EPSILON;
        const float3 offset = c - 0.5 * (high + low);
        const float3 ratio = abs(offset / extent);
        const float most = maxComponent(ratio);
        return most > 1.0 ? 0.5 * (high + low) + offset / most : c;
    }
};

Neighbourhood gather(int2 pixel)
{
    Neighbourhood n;
    float3 m1 = 0.0, m2 = 0.0;
    n.low = 1e9;
    n.high = -1e9;
    for (int y = -1; y <= 1; ++y)
    {
        for (int x = -1; x <= 1; ++x)
        {
            const float3 c = colour::toYCoCg(current.Load(int3(pixel + int2(x, y), 0)).rgb);
            m1 += c;
            m2 += c * c;
            n.low = min(n.low, c);
            n.high = max(n.high, c);
        }
    }
    n.mean = m1 / 9.0;
    n.deviation = sqrt(max(m2 / 9.0 - n.mean * n.mean, 0.0));
    n.low = max(n.low, n.mean - n.deviation * varianceScale);
    n.high = min(n.high, n.mean + n.deviation * varianceScale);
    return n;
}

float2 closestVelocity(float2 uv)
{
    const float4 near = depth.Gather(pointClamp, uv);
    float2 offset = 0.0;
    float closest = near.x;
    if (near.y < closest) { closest = near.y; offset = float2(1, 0); }
    if (near.z < closest) { closest = near.z; offset = float2(1, -1); }
    if (near.w < closest) { closest = near.w; offset = float2(0, -1); }
    return velocity.SampleLevel(pointClamp, uv + offset * viewport.zw, 0);
}

/// Catmull-Rom with five bilinear taps.
float3 sampleHistory(float2 uv)
{
    const float2 at = uv * viewport.xy;
    const float2 centre = floor(at - 0.5) + 0.5;
    const float2 f = at - centre;
    const float2 w0 = f * (-0.5 + f * (1.0 - 0.5 * f));
    const float2 w1 = 1.0 + f * f * (-2.5 + 1.5 * f);
    const float2 w2 = f * (0.5 + f * (2.0 - 1.5 * f));
    const float2 w3 = f * f * (-0.5 + 0.5 * f);
    const float2 w12 = w1 + w2;
    const float2 p0 = (centre - 1.0) * viewport.zw, p3 = (centre + 2.0) * viewport.zw;
    const float2 p12 = (centre + w2 / w12) * viewport.zw;

    float4 sum = 0.0;
    sum += float4(history.SampleLevel(linearClamp, float2(p12.x, p0.y), 0).rgb, 1.0) * (w12.x * w0.y);
    sum += float4(history.SampleLevel(linearClamp, float2(p0.x, p12.y), 0).rgb, 1.0) * (w0.x * w12.y);
    sum += float4(history.SampleLevel(linearClamp, p12, 0).rgb, 1.0) * (w12.x * w12.y);
    sum += float4(history.SampleLevel(linearClamp, float2(p3.x, p12.y), 0).rgb, 1.0) * (w3.x * w12.y);
    sum += float4(history.SampleLevel(linearClamp, float2(p12.x, p3.y), 0).rgb, 1.0) * (w12.x * w3.y);
    return max(sum.rgb / sum.a, 0.0);
}

float4 PSMain(FullscreenVertex i) : SV_Target
{
    const int2 pixel = int2(i.position.xy);
    const float3 now = colour::toYCoCg(current.Load(int3(pixel, 0)).rgb);
    const float2 motion = closestVelocity(i.uv);
    const float2 before = i.uv - motion;
    if (reset != 0 || any(before != saturate(before)))
        return float4(colour::fromYCoCg(now), 1.0);

    Neighbourhood n = gather(pixel);
    const float3 past = n.clipTowards(colour::toYCoCg(sampleHistory(before)), n.mean);
    const float speed = saturate(length(motion * viewport.xy) * 0.05);
    const float weightNow = lerp(blend, 1.0, speed * 0.5) * rcp(1.0 + now.x);
    const float weightPast = (1.0 - blend) * rcp(1.0 + past.x);
    const float3 mixed = (now * weightNow + past * weightPast) / (weightNow + weightPast);
    return float4(max(colour::fromYCoCg(mixed + (now - n.mean) * sharpness), 0.0), 1.0);
}
