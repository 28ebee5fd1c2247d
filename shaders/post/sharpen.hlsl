// Contrast-adaptive sharpening with an upscale, in compute, two pixels a thread.
#include "common.hlsli"
#include "colour.hlsli"

struct SharpenConstants
{
    uint2 size;
    float2 scale;
    float sharpness;
};

[[vk::push_constant]] SharpenConstants constants;

Texture2D<float3> source : register(t0);
[[vk::image_format("rgba16f")]] RWTexture2D<float4> target : register(u0);
SamplerState linearClamp : register(s0);

typedef float3 Colour;

Colour load(int2 at)
{
    return source.Load(int3(clamp(at, int2(0, 0), int2(constants.size) - 1), 0));
}

Colour sharpen(uint2 pixel)
{
    const float2 at = (float2(pixel) + 0.5) * constants.scale - 0.5;
    const int2 centre = int2(round(at));
    const Colour n = load(centre + int2(0, -1)), s = load(centre + int2(0, 1));
    const Colour w = load(centre + int2(-1, 0)), e = load(centre + int2(1, 0));
    const Colour m = load(centre);

    const Colour low = min(m, min(min(n, s), min(w, e)));
    const Colour high = max(m, max(max(n, s), max(w, e)));
    const Colour room = min(low, 1.0 - high);
    const Colour amount = sqrt(saturate(room / max(high, EPSILON)));
    const Colour weight = amount * (-1.0 / lerp(8.0, 5.0, constants.sharpness));
    return saturate((m + (n + s + w + e) * weight) / (1.0 + 4.0 * weight));
}

[numthreads(64, 1, 1)]
void CSMain(uint3 group : SV_GroupID, uint thread : SV_GroupThreadID)
{
    // A Z-order inside 8 x 8, for the texture cache.
    uint2 local;
    local.x = (thread & 1) | (thread >> 1 & 2) | (thread >> 2 & 4);
    local.y = (thread >> 1 & 1) | (thread >> 2 & 2) | (thread >> 3 & 4);
    const uint2 first = group.xy * uint2(16, 8) + local;
    [unroll]
    for (uint k = 0; k < 2; ++k)
    {
        const uint2 pixel = first + uint2(k * 8, 0);
        target[pixel] = float4(sharpen(pixel), 1.0);
    }
}
