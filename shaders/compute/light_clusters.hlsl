// Assigns lights to the cells of the view frustum (see lit/clustered.hlsl): one thread a cell, lights in batches.
#include "frame.hlsli"
#include "lights.hlsli"

#define BATCH 64
#define MAX_PER_CELL 96

struct Box
{
    float3 low;
    float3 high;

    bool touches(float3 centre, float radius)
    {
        const float3 nearest = clamp(centre, low, high);
        const float3 offset = nearest - centre;
        return dot(offset, offset) <= radius * radius;
    }
};

cbuffer Clusters : register(b1)
{
    float4x4 inverseProjection;
    uint3 cells;
    uint capacity;
    float2 tile;
};

StructuredBuffer<Light> lights : register(t0);
RWStructuredBuffer<uint2> clusters : register(u0);
RWStructuredBuffer<uint> lightIndices : register(u1);
globallycoherent RWByteAddressBuffer counter : register(u2);

groupshared float4 batch[BATCH];
groupshared uint batchTypes[BATCH];

float3 cornerAt(float2 pixel)
{
    const float2 ndc = pixel * viewport.zw * float2(2.0, -2.0) + float2(-1.0, 1.0);
    const float4 view = mul(inverseProjection, float4(ndc, 1.0, 1.0));
    return view.xyz / view.w;
}

Box boxOf(uint3 cell)
{
    const float ratio = camera.planes.y / camera.planes.x;
    const float near = camera.planes.x * pow(ratio, float(cell.z) / float(cells.z));
    const float far = camera.planes.x * pow(ratio, float(cell.z + 1) / float(cells.z));
    const float3 a = cornerAt(float2(cell.xy) * tile), b = cornerAt(float2(cell.xy + 1) * tile);
    const float3 points[4] = { a * (near / a.z), a * (far / a.z), b * (near / b.z), b * (far / b.z) };
    Box box;
    box.low = points[0];
    box.high = points[0];
    [unroll]
    for (int i = 1; i < 4; ++i)
    {
        box.low = min(box.low, points[i]);
        box.high = max(box.high, points[i]);
    }
    return box;
}

[numthreads(BATCH, 1, 1)]
void CSMain(uint3 id : SV_DispatchThreadID, uint index : SV_GroupIndex)
{
    const uint total = cells.x * cells.y * cells.z;
    const uint cellIndex = min(id.x, total - 1);
    const uint3 cell = uint3(cellIndex % cells.x, cellIndex / cells.x % cells.y, cellIndex / (cells.x * cells.y));
    Box box = boxOf(cell);

    uint found[MAX_PER_CELL];
    uint count = 0;
    for (uint start = 0; start < lightCount; start += BATCH)
    {
        const uint n = start + index;
        if (n < lightCount)
        {
            const Light light = lights[n];
            batch[index] = float4(mul(camera.view, float4(light.position, 1.0)).xyz, light.range);
            batchTypes[index] = light.type;
        }
        GroupMemoryBarrierWithGroupSync();
        const uint end = min(BATCH, lightCount - start);
        for (uint k = 0; k < end && count < MAX_PER_CELL; ++k)
        {
            if (batchTypes[k] == LIGHT_DIRECTIONAL || box.touches(batch[k].xyz, batch[k].w))
                found[count++] = start + k;
        }
        GroupMemoryBarrierWithGroupSync();
    }

    if (id.x >= total)
        return;
    uint first;
    counter.InterlockedAdd(0, count, first);
    count = first >= capacity ? 0 : min(count, capacity - first);
    for (uint m = 0; m < count; ++m)
        lightIndices[first + m] = found[m];
    clusters[cellIndex] = uint2(first, count);
}
