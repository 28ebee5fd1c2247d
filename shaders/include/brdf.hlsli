// Cook-Torrance with GGX, Smith and Schlick, and Lambert.
#ifndef BRDF_HLSLI
#define BRDF_HLSLI

#include "common.hlsli"

struct Surface
{
    float3 albedo;
    float metallic;
    float3 normal;
    float roughness;
    float3 emissive;
    float occlusion;

    float3 f0() { return lerp(float3(0.04, 0.04, 0.04), albedo, metallic); }
    float3 diffuseColour() { return albedo * (1.0 - metallic); }
    float alpha() { return max(square(roughness), 1e-3); }
};

namespace brdf
{
    float distributionGGX(float nDotH, float alpha)
    {
        const float a2 = alpha * alpha;
        const float d = nDotH * nDotH * (a2 - 1.0) + 1.0;
        return a2 / (PI * d * d + EPSILON);
    }

    float visibilitySmith(float nDotV, float nDotL, float alpha)
    {
        const float a2 = alpha * alpha;
        const float v = nDotL * sqrt(nDotV * nDotV * (1.0 - a2) + a2);
        const float l = nDotV * sqrt(nDotL * nDotL * (1.0 - a2) + a2);
        return 0.5 / (v + l + EPSILON);
    }

    float3 fresnelSchlick(float cosine, float3 f0)
    {
        return f0 + (1.0 - f0) * pow(saturate(1.0 - cosine), 5.0);
    }

    float3 fresnelSchlickRoughness(float cosine, float3 f0, float roughness)
    {
        return f0 + (max((1.0 - roughness).xxx, f0) - f0) * pow(saturate(1.0 - cosine), 5.0);
    }

    float3 evaluate(Surface surface, float3 v, float3 l)
    {
        const float3 h = normalize(v + l);
        const float nDotL = saturate(dot(surface.normal, l));
        const float nDotV = abs(dot(surface.normal, v)) + EPSILON;
        const float nDotH = saturate(dot(surface.normal, h));
        const float3 f = fresnelSchlick(saturate(dot(v, h)), surface.f0());
        const float alpha = surface.alpha();
        const float3 specular = distributionGGX(nDotH, alpha) * visibilitySmith(nDotV, nDotL, alpha) * f;
        const float3 diffuse = (1.0 - f) * surface.diffuseColour() * INV_PI;
        return (diffuse + specular) * nDotL;
    }
}

#endif
