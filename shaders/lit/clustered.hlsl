// Forward shading with lights from clusters (see compute/light_clusters.hlsl): only the lights of the pixel's cell.
#include "frame.hlsli"
#include "lights.hlsli"
#include "noise.hlsli"

struct ClusterGrid
{
    uint3 cells;
    float scale;
    float2 tile;
    float bias;
    uint capacity;
};

ConstantBuffer<ClusterGrid> grid : register(b1);
StructuredBuffer<Light> lights : register(t0);
StructuredBuffer<uint2> clusters : register(t1);   // first, count
StructuredBuffer<uint> lightIndices : register(t2);
Texture2D albedoMap : register(t3);
SamplerState linearWrap : register(s0);

struct Interpolants
{
    float4 clip : SV_Position;
    float3 world : POSITION;
    float3 normal : NORMAL;
    float2 uv : TEXCOORD0;
};

Interpolants VSMain(float3 position : POSITION, float3 normal : NORMAL, float2 uv : TEXCOORD0)
{
    Interpolants o;
    o.world = position;
    o.normal = normal;
    o.uv = uv;
    o.clip = toClip(position);
    return o;
}

uint clusterIndex(float4 pixel)
{
    const float depth = linearDepth(pixel.z, camera.planes);
    const uint slice = uint(max(log2(depth) * grid.scale + grid.bias, 0.0));
    const uint3 cell = min(uint3(uint2(pixel.xy / grid.tile), slice), grid.cells - 1);
    return cell.x + grid.cells.x * (cell.y + grid.cells.y * cell.z);
}

float3 heat(float t)
{
    static const float3 STOPS[5] =
    {
        float3(0, 0, 0.5), float3(0, 0.7, 1), float3(0.2, 0.9, 0.2), float3(1, 0.9, 0), float3(1, 0, 0)
    };
    const float at = saturate(t) * 4.0;
    const int i = min(int(at), 3);
    return lerp(STOPS[i], STOPS[i + 1], at - float(i));
}

float4 PSMain(Interpolants i) : SV_Target
{
    Surface s = (Surface)0;
    s.albedo = albedoMap.Sample(linearWrap, i.uv).rgb;
    s.roughness = 0.6;
    s.normal = normalize(i.normal);
    s.occlusion = 1.0;

    const uint2 range = clusters[clusterIndex(i.clip)];
    const float3 v = viewDirection(i.world);
    float3 colour = 0.02 * s.albedo;
    [loop]
    for (uint n = range.x; n < range.x + range.y; ++n)
    {
        const Light light = lights[lightIndices[n]];
        if (light.type != LIGHT_DIRECTIONAL && distance(light.position, i.world) > light.range)
            continue;
        colour += shade(s, light, i.world, v);
    }
#ifdef DEBUG_HEAT
    const float noise = interleavedGradient(i.clip.xy) * 0.02;
    colour = lerp(colour, heat(float(range.y) / float(grid.capacity) + noise), 0.5);
#endif
    return float4(colour, 1.0);
}
