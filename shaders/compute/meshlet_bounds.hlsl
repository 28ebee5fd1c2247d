// Bounding spheres and normal cones of meshlets in 16-bit arithmetic where that is enough; 64-bit keys for sorting.
#include "common.hlsli"

#define MAX_TRIANGLES 124

typedef float16_t4 half4_;

struct Meshlet
{
    uint vertexOffset;
    uint triangleOffset;
    uint16_t vertexCount;
    uint16_t triangleCount;
};

struct Bounds
{
    float3 centre;
    float radius;
    float16_t4 cone;
    uint64_t key;
};

StructuredBuffer<Meshlet> meshlets : register(t0);
StructuredBuffer<float3> positions : register(t1);
ByteAddressBuffer triangles : register(t2);
RWStructuredBuffer<Bounds> bounds : register(u0);

groupshared float3 normals[MAX_TRIANGLES];

struct Sphere
{
    float3 centre;
    float radius;
};

struct GrowingSphere : Sphere
{
    void grow(float3 p, float rate = 0.5)
    {
        const float d = distance(p, centre);
        if (d <= radius)
            return;
        const float larger = (radius + d) * rate;
        centre += (p - centre) * ((larger - radius) / d);
        radius = larger;
    }
};

uint64_t spread(uint v)
{
    uint64_t x = v & 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffffull;
    x = (x | x << 16) & 0x1f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    return (x | x << 2) & 0x1249249249249249ull;
}

[numthreads(128, 1, 1)]
void CSMain(uint index : SV_GroupIndex, uint3 group : SV_GroupID)
{
    const Meshlet m = meshlets[group.x];
    if (index < m.triangleCount)
    {
        const uint packed = triangles.Load((m.triangleOffset + index) * 4);
        float3 p[3];
        [unroll]
        for (uint i = 0; i < 3; ++i)
            p[i] = positions[m.vertexOffset + (packed >> (10 * i) & 0x3ff)];
        const float3 n = cross(p[1] - p[0], p[2] - p[0]);
        normals[index] = n / max(length(n), 1e-12);
    }
    GroupMemoryBarrierWithGroupSync();
    if (index != 0)
        return;

    GrowingSphere sphere;
    sphere.centre = positions[m.vertexOffset];
    sphere.radius = 0.0;
    for (uint v = 1; v < m.vertexCount; ++v)
        sphere.grow(positions[m.vertexOffset + v]);

    float3 axis = 0.0;
    for (uint t = 0; t < m.triangleCount; ++t)
        axis += normals[t];
    axis = normalize(axis);
    float16_t narrowest = (float16_t)1.0;
    uint u = 0;
    do
    {
        narrowest = min(narrowest, (float16_t)dot(axis, normals[u]));
    } while (++u < m.triangleCount);

    Bounds b;
    b.centre = sphere.centre;
    b.radius = sphere.radius;
    b.cone = half4_(float16_t3(axis), narrowest);
    const uint3 cell = uint3(saturate(sphere.centre * 0.001 + 0.5) * 2097151.0);
    b.key = spread(cell.x) | spread(cell.y) << 1 | spread(cell.z) << 2;
    bounds[group.x] = b;
}
