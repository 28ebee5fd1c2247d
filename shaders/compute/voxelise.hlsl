// Splats points into a volume with atomics on images, then filters it: packed running averages by compare-exchange.
#include "packing.hlsli"

struct Point
{
    float3 position;
    uint colour;
};

cbuffer Volume : register(b0)
{
    float3x4 worldToVolume;
    uint3 size;
    uint pointCount;
};

StructuredBuffer<Point> points : register(t0);
RWTexture3D<uint> packed : register(u0);
RWTexture3D<uint> counts : register(u1);
RWTexture3D<float4> result : register(u2);
RWBuffer<uint> occupied : register(u3);
RWTexture3D<uint> levels : register(u4);

/// The average of 8-bit colours with a count in alpha, updated without a lock.
void addColour(uint3 voxel, float4 colour)
{
    colour.a = 1.0 / 255.0;
    uint next = packUnorm4(colour);
    uint expected = 0;
    uint found;
    int tries = 0;
    InterlockedCompareExchange(packed[voxel], expected, next, found);
    while (found != expected && tries++ < 32)
    {
        expected = found;
        const float4 now = unpackUnorm4(found);
        const float n = now.a * 255.0;
        const float4 mixed = float4((now.rgb * n + colour.rgb) / (n + 1.0), min(n + 1.0, 255.0) / 255.0);
        next = packUnorm4(mixed);
        InterlockedCompareExchange(packed[voxel], expected, next, found);
    }
}

[numthreads(64, 1, 1)]
void CSSplat(uint id : SV_DispatchThreadID)
{
    if (id >= pointCount)
        return;
    const Point p = points[id];
    const float3 at = mul(worldToVolume, float4(p.position, 1.0));
    if (any(at < 0.0) || any(at >= 1.0))
        return;
    const uint3 voxel = min(uint3(at * float3(size)), size - 1);
    addColour(voxel, unpackUnorm4(p.colour));
    uint before;
    InterlockedAdd(counts[voxel], 1, before);
    if (before == 0)
    {
        const uint flat = voxel.x + size.x * (voxel.y + size.y * voxel.z);
        InterlockedOr(occupied[flat >> 5], 1u << (flat & 31));
    }
}

[numthreads(4, 4, 4)]
void CSFilter(uint3 id : SV_DispatchThreadID)
{
    if (any(id >= size))
        return;
    float4 sum = 0.0;
    int3 offset;
    for (offset.z = -1; offset.z <= 1; offset.z++)
        for (offset.y = -1; offset.y <= 1; offset.y++)
            for (offset.x = -1; offset.x <= 1; offset.x++)
            {
                const int3 at = int3(id) + offset;
                if (any(at < 0) || any(uint3(at) >= size))
                    continue;
                const uint n = counts[at];
                if (n == 0)
                    continue;
                const float w = float(8u >> countbits(uint(abs(offset.x) | abs(offset.y) << 1 | abs(offset.z) << 2)));
                sum += float4(unpackUnorm4(packed[at]).rgb, 1.0) * w;
            }
    result[id] = sum.a > 0.0 ? float4(sum.rgb / sum.a, saturate(sum.a / 27.0)) : float4(0.0, 0.0, 0.0, 0.0);
    levels[id] = firstbithigh(counts[id]) + 1;
}
