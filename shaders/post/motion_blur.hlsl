// Motion blur: the dominant velocity of each tile, its neighbourhood, then a gather that weighs by depth and speed.
#include "fullscreen.hlsli"
#include "noise.hlsli"
#include "common.hlsli"

#ifndef TILE
#define TILE 20
#endif

cbuffer MotionBlur : register(b0)
{
    float4 viewport;
    float2 planes;
    float shutter;
    float maxRadius;
    int taps;
};

Texture2D<float4> scene : register(t0);
Texture2D<float2> velocity : register(t1);
Texture2D<float> depth : register(t2);
Texture2D<float2> tiles : register(t3);
SamplerState linearClamp : register(s0);
SamplerState pointClamp : register(s1);

FullscreenVertex VSMain(uint id : SV_VertexID)
{
    return fullscreenTriangle(id);
}

float2 longer(float2 a, float2 b)
{
    return dot(a, a) >= dot(b, b) ? a : b;
}

float2 PSTileMax(FullscreenVertex i) : SV_Target
{
    const int2 origin = int2(i.position.xy) * TILE;
    float2 longest = 0.0;
    [loop]
    for (int y = 0; y < TILE; ++y)
        [loop]
        for (int x = 0; x < TILE; ++x)
            longest = longer(longest, velocity.Load(int3(origin.x + x, origin.y + y, 0)));
    const float2 scaled = longest * shutter * viewport.xy;
    const float len = length(scaled);
    return len > maxRadius ? scaled * (maxRadius / len) : scaled;
}

float2 PSNeighbourMax(FullscreenVertex i) : SV_Target
{
    const int2 tile = int2(i.position.xy);
    float2 longest = 0.0;
    [unroll]
    for (int n = 0; n < 9; ++n)
        longest = longer(longest, tiles[uint2(max(tile + int2(n % 3 - 1, n / 3 - 1), 0))]);
    return longest;
}

float cone(float distance, float speed) { return saturate(1.0 - distance / max(speed, EPSILON)); }
float cylinder(float distance, float speed) { return 1.0 - smoothstep(0.95 * speed, 1.05 * speed, distance); }
float softCompare(float a, float b) { return saturate(1.0 - (a - b) / min(a, b) * 10.0); }

float4 PSMain(FullscreenVertex i) : SV_Target
{
    const float4 centre = scene.SampleLevel(linearClamp, i.uv, 0);
    const float2 dominant = tiles.SampleLevel(pointClamp, i.uv, 0);
    if (dot(dominant, dominant) < 0.25)
        return centre;

    const float z = linearDepth(depth.SampleLevel(pointClamp, i.uv, 0), planes);
    const float speed = max(length(velocity.SampleLevel(pointClamp, i.uv, 0) * viewport.xy) * shutter, 0.5);
    const float jitter = interleavedGradient(i.position.xy) - 0.5;
    float total = rcp(speed);
    float3 sum = centre.rgb * total;
    const float reach = length(dominant);

    for (int n = 0; n < taps; ++n)
    {
        const float t = lerp(-1.0, 1.0, (float(n) + jitter + 1.0) / float(taps + 1));
        const float2 uv = i.uv + dominant * t * viewport.zw;
        const float there = linearDepth(depth.SampleLevel(pointClamp, uv, 0), planes);
        const float thereSpeed = length(velocity.SampleLevel(pointClamp, uv, 0) * viewport.xy) * shutter;
        const float distance = abs(t) * reach;
        float w = softCompare(there, z) * cone(distance, thereSpeed);
        w += softCompare(z, there) * cone(distance, speed);
        w += 2.0 * cylinder(distance, thereSpeed) * cylinder(distance, speed);
        sum += scene.SampleLevel(linearClamp, uv, 0).rgb * w;
        total += w;
    }
    return float4(sum / total, centre.a);
}
