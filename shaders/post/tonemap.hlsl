// Exposure, bloom, lens effects and the tone curve.  OPERATOR: 0 ACES, 1 Reinhard, 2 filmic.  DITHER, VIGNETTE, GRAIN.
#include "fullscreen.hlsli"
#include "colour.hlsli"
#include "noise.hlsli"
#include "common.hlsli"

#define OPERATOR_ACES 0
#define OPERATOR_REINHARD 1
#define OPERATOR_FILMIC 2

#ifndef OPERATOR
#error OPERATOR has to be 0, 1 or 2
#endif

cbuffer Tonemap : register(b0)
{
    float exposureBias;
    float whitePoint;
    float bloomStrength;
    float vignette;
    float3 lift;
    float grain;
    float3 gain;
    float aberration;
    uint frame;
};

Texture2D<float4> scene : register(t0);
Texture2D<float4> bloom : register(t1);
StructuredBuffer<float> averageLuminance : register(t2);
SamplerState linearClamp : register(s0);

FullscreenVertex VSMain(uint id : SV_VertexID)
{
    return fullscreenTriangle(id);
}

float3 sampleScene(float2 uv)
{
#if ABERRATION
    const float2 shift = (uv - 0.5) * aberration;
    return float3(scene.Sample(linearClamp, uv + shift).r, scene.Sample(linearClamp, uv).g,
                  scene.Sample(linearClamp, uv - shift).b);
#else
    return scene.Sample(linearClamp, uv).rgb;
#endif
}

float3 toneMap(float3 c)
{
#if OPERATOR == OPERATOR_ACES
    return colour::tone::aces(c);
#elif OPERATOR == OPERATOR_REINHARD
    return colour::tone::reinhard(c, whitePoint);
#elif OPERATOR == OPERATOR_FILMIC
    return colour::tone::filmic(c);
#else
#error unknown OPERATOR
#endif
}

float4 PSMain(FullscreenVertex i) : SV_Target
{
    float3 c = sampleScene(i.uv);
    c = lerp(c, bloom.Sample(linearClamp, i.uv).rgb, bloomStrength);
    const float exposure = 0.18 / max(averageLuminance[0], 1e-4) * exp2(exposureBias);
    c *= exposure;
    c = max(c * gain + lift, 0.0);

    const float2 centred = i.uv - 0.5;
    c *= 1.0 - vignette * smoothstep(0.2, 0.75, dot(centred, centred) * 2.0);
    c = toneMap(c);

    Random random;
    random.state = hash(uint3(uint2(i.position.xy), frame));
    c += (random.unit() - 0.5) * grain * (1.0 - luminance(c));
    c = colour::toSrgb(saturate(c));
#if DITHER
    c += (interleavedGradient(i.position.xy) - 0.5) / 255.0;
#endif
    return float4(c, luminance(c));
}
