// Lights the G-buffer: a full-screen pass for the sun and ambient light, and a tiled compute pass for the rest.
#include "frame.hlsli"
#include "fullscreen.hlsli"
#include "gbuffer.hlsli"
#include "lights.hlsli"

#define TILE 16
#define MAX_TILE_LIGHTS 128

Texture2D<float4> albedoTarget : register(t0);
Texture2D<float4> normalTarget : register(t1);
Texture2D<float4> emissiveTarget : register(t2);
Texture2D<float> depthTarget : register(t3);
Texture2D<float> shadowMask : register(t4);
StructuredBuffer<Light> lights : register(t5);
RWTexture2D<float4> result : register(u0);
SamplerState pointClamp : register(s0);

groupshared uint tileLow;
groupshared uint tileHigh;
groupshared uint tileLightCount;
groupshared uint tileLights[MAX_TILE_LIGHTS];

FullscreenVertex VSMain(uint id : SV_VertexID)
{
    return fullscreenTriangle(id);
}

Surface surfaceAt(int2 pixel, out uint model)
{
    const int3 at = int3(pixel, 0);
    return decode(albedoTarget.Load(at), normalTarget.Load(at), emissiveTarget.Load(at), model);
}

float3 direct(Surface s, uint model, float3 v, float3 l, float3 radiance)
{
    switch ((Shading)model)
    {
    case Shading::Unlit:
        return s.albedo;
    case Shading::Foliage:
        return (brdf::evaluate(s, v, l) + s.albedo * 0.3 * saturate(dot(-s.normal, l))) * radiance;
    case Shading::Skin:
        return (brdf::evaluate(s, v, l) + s.albedo * 0.2 * saturate(dot(s.normal, l) * 0.5 + 0.5)) * radiance;
    default:
        return brdf::evaluate(s, v, l) * radiance;
    }
}

float4 PSMain(FullscreenVertex i) : SV_Target
{
    uint model;
    const int2 pixel = int2(i.position.xy);
    Surface s = surfaceAt(pixel, model);
    const float3 world = fromDepth(i.uv, depthTarget.Load(int3(pixel, 0)));
    const float lit = shadowMask.SampleLevel(pointClamp, i.uv, 0.0);
    const float3 ambient = s.diffuseColour() * s.occlusion * lerp(0.02, 0.06, s.normal.y * 0.5 + 0.5);
    return float4(direct(s, model, viewDirection(world), -sunDirection, sunColour * lit) + ambient + s.emissive, 1.0);
}

[numthreads(TILE, TILE, 1)]
void CSMain(uint3 id : SV_DispatchThreadID, uint index : SV_GroupIndex, uint3 group : SV_GroupID)
{
    if (index == 0)
    {
        tileLow = 0xffffffff;
        tileHigh = 0;
        tileLightCount = 0;
    }
    GroupMemoryBarrierWithGroupSync();

    const float depth = depthTarget[id.xy];
    const uint bits = asuint(linearDepth(depth, camera.planes));
    InterlockedMin(tileLow, bits);
    InterlockedMax(tileHigh, bits);
    GroupMemoryBarrierWithGroupSync();

    const float2 planes = float2(asfloat(tileLow), asfloat(tileHigh));
    const float2 centre = (float2(group.xy) + 0.5) * TILE * viewport.zw * 2.0 - 1.0;
    for (uint n = index; n < lightCount; n += TILE * TILE)
    {
        const float3 view = mul(camera.view, float4(lights[n].position, 1.0)).xyz;
        const bool inDepth = view.z + lights[n].range > planes.x && view.z - lights[n].range < planes.y;
        const float2 at = view.xy * float2(camera.projection._11, camera.projection._22) / max(view.z, 0.1);
        if (inDepth && distance(at, centre) < lights[n].range / max(view.z, 0.1) + 0.1)
        {
            uint slot;
            InterlockedAdd(tileLightCount, 1, slot);
            if (slot < MAX_TILE_LIGHTS)
                tileLights[slot] = n;
        }
    }
    GroupMemoryBarrierWithGroupSync();

    uint model;
    const Surface s = surfaceAt(int2(id.xy), model);
    const float3 world = fromDepth((float2(id.xy) + 0.5) * viewport.zw, depth);
    const float3 v = viewDirection(world);
    float3 colour = 0.0;
    const uint count = min(tileLightCount, MAX_TILE_LIGHTS);
    for (uint k = 0; k < count; ++k)
    {
        float3 l;
        const float3 radiance = lightRadiance(lights[tileLights[k]], world, l);
        colour += direct(s, model, v, l, radiance);
    }
    result[id.xy] = float4(result[id.xy].rgb + colour, 1.0);
}
