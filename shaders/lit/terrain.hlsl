// Terrain from a height map, four layers blended by weights and height, detail normals, triplanar on cliffs.
#include "frame.hlsli"
#include "brdf.hlsli"
#include "noise.hlsli"

#ifndef LAYERS
#define LAYERS 4
#endif

cbuffer Terrain : register(b1)
{
    float4 patch;               // origin, size, level
    float2 heightScale;         // factor, offset
    float2 texel;
    float4 layerScale;
    float blendSharpness;
    bool triplanar;
    float2 unused;
};

Texture2D<float> heightMap : register(t0);
Texture2D<float4> weightMap : register(t1);
Texture2DArray<float4> layerAlbedo : register(t2);
Texture2DArray<float4> layerNormal : register(t3);
SamplerState linearClamp : register(s0);
SamplerState anisotropicWrap : register(s1);

struct Interpolants
{
    float4 clip : SV_Position;
    float3 world : TEXCOORD0;
    float2 uv : TEXCOORD1;
};

float heightAt(float2 uv)
{
    return heightMap.SampleLevel(linearClamp, uv, 0.0) * heightScale.x + heightScale.y;
}

Interpolants VSMain(uint id : SV_VertexID)
{
    const uint side = 33;
    const float2 grid = float2(id % side, id / side) / float(side - 1);
    Interpolants o;
    o.uv = patch.xy + grid * patch.z;
    o.world = float3(o.uv.x, heightAt(o.uv), o.uv.y);
    o.clip = toClip(o.world);
    return o;
}

float3 normalAt(float2 uv)
{
    const float left = heightAt(uv - float2(texel.x, 0.0)), right = heightAt(uv + float2(texel.x, 0.0));
    const float down = heightAt(uv - float2(0.0, texel.y)), up = heightAt(uv + float2(0.0, texel.y));
    return normalize(float3(left - right, 2.0 * maxComponent(texel), down - up));
}

float4 sampleLayer(Texture2DArray<float4> map, float3 world, float3 normal, int layer)
{
    const float scale = layerScale[layer];
    float4 result = map.Sample(anisotropicWrap, float3(world.xz * scale, layer));
    if (triplanar)
    {
        const float3 w = square(square(normal));
        const float4 x = map.SampleGrad(anisotropicWrap, float3(world.zy * scale, layer), ddx(world.zy), ddy(world.zy));
        const float4 z = map.SampleGrad(anisotropicWrap, float3(world.xy * scale, layer), ddx(world.xy), ddy(world.xy));
        result = (x * w.x + result * w.y + z * w.z) / (w.x + w.y + w.z);
    }
    return result;
}

float4 PSMain(Interpolants i) : SV_Target
{
    const float3 geometry = normalAt(i.uv);
    const float4 weights = weightMap.Sample(linearClamp, i.uv);

    float4 albedo[LAYERS];
    float strength[LAYERS];
    float highest = 0.0;
    [unroll]
    for (int a = 0; a < LAYERS; ++a)
    {
        albedo[a] = sampleLayer(layerAlbedo, i.world, geometry, a);
        strength[a] = weights[a] * (albedo[a].a + 0.01);
        highest = max(highest, strength[a]);
    }

    float3 colour = 0.0, detail = 0.0;
    float total = 0.0;
    [unroll]
    for (int b = 0; b < LAYERS; ++b)
    {
        const float w = max(strength[b] - highest + blendSharpness, 0.0);
        colour += albedo[b].rgb * w;
        detail += (sampleLayer(layerNormal, i.world, geometry, b).xyz * 2.0 - 1.0) * w;
        total += w;
    }

    Surface s;
    s.albedo = colour / total * (0.8 + 0.4 * fbm(i.world.xz * 0.01, 3));
    s.metallic = 0.0;
    s.normal = normalize(mul(normalize(detail / total), tangentFrame(geometry, float4(1.0, 0.0, 0.0, 1.0))));
    s.roughness = 0.9;
    s.emissive = 0.0;
    s.occlusion = 1.0;
    const float3 lit = brdf::evaluate(s, viewDirection(i.world), -sunDirection) * sunColour;
    return float4(lit + s.albedo * 0.03, 1.0);
}
