// Culls instances against the frustum and last frame's depth pyramid, picks a level of detail, writes indirect draws.
#include "frame.hlsli"
#include "common.hlsli"

struct InstanceBounds
{
    float3 centre;
    float radius;
    float3 extent;
    uint mesh;
};

struct DrawArguments
{
    uint indexCount;
    uint instanceCount;
    uint firstIndex;
    int vertexOffset;
    uint firstInstance;
};

struct MeshLevels
{
    uint4 firstIndex;
    uint4 indexCount;
    float4 distances;
    int vertexOffset;
};

cbuffer Culling : register(b1)
{
    float4 planes[6];
    uint instanceCount;
    uint capacity;
    float2 pyramidSize;
    float lodScale;
};

StructuredBuffer<InstanceBounds> bounds : register(t0);
StructuredBuffer<MeshLevels> meshes : register(t1);
Texture2D<float> depthPyramid : register(t2);
SamplerState pointClamp : register(s0);
AppendStructuredBuffer<uint> visible : register(u0);
RWStructuredBuffer<DrawArguments> draws : register(u1);
RWByteAddressBuffer statistics : register(u2);

bool insideFrustum(float3 centre, float radius)
{
    bool inside = true;
    [unroll]
    for (int p = 0; p < 6; ++p)
        inside = inside && dot(planes[p], float4(centre, 1.0)) > -radius;
    return inside;
}

bool occluded(InstanceBounds box)
{
    float2 low = 1.0, high = 0.0;
    float nearest = 1.0;
    for (uint corner = 0; corner < 8; ++corner)
    {
        const float3 sign = float3(corner & 1, corner >> 1 & 1, corner >> 2 & 1) * 2.0 - 1.0;
        const float4 clip = toClip(box.centre + box.extent * sign);
        if (clip.w <= 0.0)
            return false;
        const float3 ndc = clip.xyz / clip.w;
        const float2 uv = FLIP_V(ndc.xy * 0.5 + 0.5);
        low = min(low, uv);
        high = max(high, uv);
        nearest = min(nearest, ndc.z);
    }
    const float2 pixels = (saturate(high) - saturate(low)) * pyramidSize;
    const float level = ceil(log2(max(maxComponent(pixels), 1.0)));
    const float4 behind = float4(
        depthPyramid.SampleLevel(pointClamp, low, level), depthPyramid.SampleLevel(pointClamp, high, level),
        depthPyramid.SampleLevel(pointClamp, float2(low.x, high.y), level),
        depthPyramid.SampleLevel(pointClamp, float2(high.x, low.y), level));
    return nearest > maxComponent(behind);
}

uint levelOfDetail(MeshLevels mesh, float distance)
{
    uint level = 0;
    while (level < 3 && distance * lodScale > mesh.distances[level])
        level++;
    return level;
}

[numthreads(64, 1, 1)]
void CSMain(uint3 id : SV_DispatchThreadID)
{
    if (id.x >= instanceCount)
        return;
    const InstanceBounds box = bounds[id.x];
    statistics.InterlockedAdd(0, 1);
    if (!insideFrustum(box.centre, box.radius))
    {
        statistics.InterlockedAdd(4, 1);
        return;
    }
#if OCCLUSION
    if (occluded(box))
    {
        statistics.InterlockedAdd(8, 1);
        return;
    }
#endif
    const MeshLevels mesh = meshes[box.mesh];
    const uint level = levelOfDetail(mesh, distance(camera.position, box.centre));
    const uint slot = box.mesh * 4 + level;

    uint index;
    InterlockedAdd(draws[slot].instanceCount, 1u, index);
    if (index == 0)
    {
        draws[slot].indexCount = mesh.indexCount[level];
        draws[slot].firstIndex = mesh.firstIndex[level];
        draws[slot].vertexOffset = mesh.vertexOffset;
        draws[slot].firstInstance = slot * capacity;
    }
    visible.Append(id.x | level << 30);
}
