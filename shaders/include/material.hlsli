// Textures and factors of a standard material.
#ifndef MATERIAL_HLSLI
#define MATERIAL_HLSLI

#include "brdf.hlsli"

struct Material
{
    float4 baseColour;
    float3 emissive;
    float metallic;
    float roughness;
    float normalScale;
    float occlusionStrength;
    float alphaCutoff;
};

struct MaterialTextures
{
    float4 baseColour;
    float3 normal;
    float3 surface;     // occlusion, roughness, metallic
    float3 emissive;
};

Surface makeSurface(Material material, MaterialTextures textures, float3x3 frame)
{
    Surface s;
    s.albedo = material.baseColour.rgb * textures.baseColour.rgb;
    s.metallic = material.metallic * textures.surface.b;
    s.roughness = clamp(material.roughness * textures.surface.g, 0.045, 1.0);
    s.occlusion = lerp(1.0, textures.surface.r, material.occlusionStrength);
    s.emissive = material.emissive * textures.emissive;
    const float3 n = (textures.normal * 2.0 - 1.0) * float3(material.normalScale.xx, 1.0);
    s.normal = normalize(mul(n, frame));
    return s;
}

#endif
