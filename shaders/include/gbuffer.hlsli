// The layout of the G-buffer, for the pass that writes it and those that read it.
#ifndef GBUFFER_HLSLI
#define GBUFFER_HLSLI

#include "brdf.hlsli"
#include "packing.hlsli"

enum class Shading : uint
{
    Unlit = 0,
    Standard = 1,
    Foliage = 2,
    Skin = 3
};

struct GBuffer
{
    float4 albedo : SV_Target0;     // rgb, occlusion
    float4 normal : SV_Target1;     // octahedral, roughness, metallic
    float4 emissive : SV_Target2;   // rgb, shading model / 255
    float2 velocity : SV_Target3;
};

GBuffer encode(Surface surface, Shading model, float2 velocity)
{
    GBuffer g;
    g.albedo = float4(surface.albedo, surface.occlusion);
    g.normal = float4(encodeNormal(surface.normal), surface.roughness, surface.metallic);
    g.emissive = float4(surface.emissive, float((uint)model) / 255.0);
    g.velocity = velocity;
    return g;
}

Surface decode(float4 albedo, float4 normal, float4 emissive, out uint model)
{
    Surface surface = (Surface)0;
    surface.albedo = albedo.rgb;
    surface.occlusion = albedo.a;
    surface.normal = decodeNormal(normal.xy);
    surface.roughness = normal.z;
    surface.metallic = normal.w;
    surface.emissive = emissive.rgb;
    model = uint(emissive.a * 255.0 + 0.5);
    return surface;
}

#endif
