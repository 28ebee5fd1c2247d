// Terrain: the vertex shader makes a grid of 128 x 128 squares and its heights, the pixel shader colours slopes.
#include "noise.hlsli"

cbuffer Frame : register(b0)
{
    float4x4 viewProjection;
    float3 cameraPosition;
    float time;
    float height;   // 0 .. 2 = 0.9
    float scale;    // 0.5 .. 4 = 1.6
    float sea;      // 0 .. 0.6 = 0.3
    float3 grassColour; // = #5f8a3c
};

struct Varyings
{
    float4 position : SV_Position;
    float3 world : WORLD;
    float3 normal : NORMAL;
};

float heightAt(float2 p)
{
    return max(fbm(p * scale + float2(time * 0.1, 17.0), 5), sea) * height;
}

Varyings VSMain(uint id : SV_VertexID)
{
    const uint square = id / 6, corner = id % 6;
    const uint2 offset = uint2(corner == 1 || corner == 2 || corner == 4, corner == 2 || corner == 4 || corner == 5);
    const float2 p = (float2(square % 128, square / 128) + float2(offset)) / 64.0 - 1.0;
    const float e = 0.01, h = heightAt(p * 2.0);
    Varyings o;
    o.world = float3(p.x * 1.6, h - 0.6, p.y * 1.6);
    o.normal = normalize(float3(h - heightAt((p + float2(e, 0.0)) * 2.0), 1.6 * e, h - heightAt((p + float2(0.0, e)) * 2.0)));
    o.position = mul(viewProjection, float4(o.world, 1.0));
    return o;
}

float4 PSMain(Varyings v) : SV_Target
{
    const float3 n = normalize(v.normal), sun = normalize(float3(0.6, 0.7, -0.3));
    const float level = (v.world.y + 0.6) / max(height, 0.01);
    float3 colour = lerp(float3(0.45, 0.4, 0.36), grassColour, smoothstep(0.6, 0.85, n.y));
    colour = lerp(colour, 0.95, smoothstep(0.62, 0.7, level));
    if (level <= sea + 0.002)
        colour = float3(0.13, 0.32, 0.5);
    return float4(colour * (0.3 + 0.8 * saturate(dot(n, sun))), 1.0);
}
