// The standard lit material: base colour, normal, surface and emissive maps, lights from a buffer, image-based light.
// SHADOWS: 1 filters the sun through cascaded shadow maps.
#include "frame.hlsli"
#include "lights.hlsli"
#include "material.hlsli"
#include <shadows.hlsli>

#ifndef SHADOWS
#define SHADOWS 0
#endif

struct ObjectConstants
{
    float4x4 world;
    float4x4 previousWorld;
    float3x3 normalMatrix;
    uint materialIndex;
};

ConstantBuffer<ObjectConstants> object : register(b1);
StructuredBuffer<Light> lights : register(t0);
StructuredBuffer<Material> materials : register(t1);
Texture2D baseColourMap : register(t2);
Texture2D normalMap : register(t3);
Texture2D surfaceMap : register(t4);
Texture2D emissiveMap : register(t5);
TextureCube<float4> radianceMap : register(t6);
TextureCube<float4> irradianceMap : register(t7);
Texture2D<float2> brdfLut : register(t8);
SamplerState linearWrap : register(s0);
SamplerState linearClamp : register(s1);
#if SHADOWS
ConstantBuffer<ShadowCascades> cascades : register(b2);
Texture2DArray<float> shadowMap : register(t9);
SamplerComparisonState shadowCompare : register(s2);
#endif

struct Vertex
{
    float3 position : POSITION;
    float3 normal : NORMAL;
    float4 tangent : TANGENT;
    float2 uv : TEXCOORD0;
};

struct Interpolants
{
    float4 clip : SV_Position;
    float3 world : WORLD;
    float3 normal : NORMAL;
    float4 tangent : TANGENT;
    float2 uv : TEXCOORD0;
};

Interpolants VSMain(Vertex v)
{
    Interpolants o;
    o.world = mul(object.world, float4(v.position, 1.0)).xyz;
    o.normal = mul(object.normalMatrix, v.normal);
    o.tangent = float4(mul((float3x3)object.world, v.tangent.xyz), v.tangent.w);
    o.uv = v.uv;
    o.clip = toClip(o.world);
    return o;
}

float sunVisibility(float3 world, float3 normal, float viewDepth, float2 pixel)
{
#if SHADOWS
    const uint cascade = cascadeOf(cascades, viewDepth);
    const float3 at = shadowPosition(cascades, cascade, world, normal);
    if (any(at.xy < 0.0) || any(at.xy > 1.0))
        return 1.0;
    return shadowGrid(shadowMap, shadowCompare, at, cascade, cascades.texel);
#else
    return 1.0;
#endif
}

float3 imageBasedLight(Surface s, float3 v)
{
    uint width, height, levels;
    radianceMap.GetDimensions(0, width, height, levels);
    const float nDotV = saturate(dot(s.normal, v));
    const float3 f = brdf::fresnelSchlickRoughness(nDotV, s.f0(), s.roughness);
    const float3 reflected = reflect(-v, s.normal);
    const float3 radiance = radianceMap.SampleLevel(linearClamp, reflected, s.roughness * float(levels - 1)).rgb;
    const float3 irradiance = irradianceMap.Sample(linearClamp, s.normal).rgb;
    const float2 lut = brdfLut.Sample(linearClamp, float2(nDotV, s.roughness));
    return ((1.0 - f) * s.diffuseColour() * irradiance + radiance * (f * lut.x + lut.y)) * s.occlusion;
}

float4 PSMain(Interpolants i, bool front : SV_IsFrontFace) : SV_Target
{
    const Material material = materials[object.materialIndex];
    MaterialTextures textures;
    textures.baseColour = baseColourMap.Sample(linearWrap, i.uv);
    textures.normal = normalMap.Sample(linearWrap, i.uv).xyz;
    textures.surface = surfaceMap.Sample(linearWrap, i.uv).rgb;
    textures.emissive = emissiveMap.Sample(linearWrap, i.uv).rgb;

    const float alpha = textures.baseColour.a * material.baseColour.a;
    clip(alpha - material.alphaCutoff);

    const float3 normal = normalize(front ? i.normal : -i.normal);
    const Surface s = makeSurface(material, textures, tangentFrame(normal, i.tangent));
    const float3 v = viewDirection(i.world);
    const float viewDepth = i.clip.w;

    float3 colour = s.emissive + imageBasedLight(s, v);
    const float sun = sunVisibility(i.world, normal, viewDepth, i.clip.xy);
    colour += brdf::evaluate(s, v, -sunDirection) * sunColour * sun;
    for (uint n = 0; n < lightCount; ++n)
        colour += shade(s, lights[n], i.world, v);
    return float4(colour * camera.exposure, alpha);
}
