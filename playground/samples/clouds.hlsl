// Clouds: noise of several octaves, bent by more of it. The header comes with the page.
#include "noise.hlsli"

cbuffer Sky : register(b0)
{
    float2 resolution;
    float time;
    float speed;    // 0 .. 0.5 = 0.08
    float scale;    // 1 .. 10 = 4
    float cover;    // 0.2 .. 0.8 = 0.45
    float4 skyColour;   // = #3f78c0
    int octaves;    // 1 .. 8 = 6
};

float4 main(float2 uv : TEXCOORD0) : SV_Target
{
    float2 p = uv * float2(resolution.x / resolution.y, 1.0) * scale;
    p.x += time * speed * scale;
    const float2 bend = float2(fbm(p + 7.3, octaves), fbm(p + float2(1.7, 9.2) + time * speed, octaves));
    const float density = smoothstep(cover, cover + 0.35, fbm(p + 1.6 * bend, octaves));
    const float shade = smoothstep(cover, 1.0, fbm(p + 1.6 * bend + float2(0.15, -0.2), octaves));
    const float3 cloud = lerp(1.0, float3(0.55, 0.58, 0.66), shade);
    return float4(lerp(lerp(skyColour.rgb, 0.85, uv.y * 0.5), cloud, density), 1.0);
}
