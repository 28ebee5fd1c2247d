// Reduces a picture to its average log luminance: groups first, then the partial sums, with eye adaptation over time.
#include "common.hlsli"

template <typename T, uint N>
struct Tree
{
    T values[N];
};

#define GROUP_SIDE 16
#define GROUP (GROUP_SIDE * GROUP_SIDE)

cbuffer Luminance : register(b0)
{
    uint2 size;
    uint partials;
    float seconds;
    float2 speed;           // brighter, darker
    float2 limits;
};

Texture2D<float3> source : register(t0);
RWBuffer<float> partialSums : register(u0);
RWStructuredBuffer<float2> adapted : register(u1);  // luminance, age

groupshared Tree<float, GROUP> tree;

float sumGroup(float value, uint index)
{
    tree.values[index] = value;
    GroupMemoryBarrierWithGroupSync();
    for (uint s = GROUP / 2; s > 0; s >>= 1)
    {
        if (index < s)
            tree.values[index] += tree.values[index + s];
        GroupMemoryBarrierWithGroupSync();
    }
    return tree.values[0];
}

/// What the centre of the picture weighs more than its borders.
float weight(float2 uv)
{
    const float2 d = uv * 2.0 - 1.0;
    return saturate(1.0 - 0.5 * dot(d, d));
}

[numthreads(GROUP_SIDE, GROUP_SIDE, 1)]
void CSReduce(uint3 id : SV_DispatchThreadID, uint3 group : SV_GroupID, uint index : SV_GroupIndex)
{
    float value = 0.0;
    [unroll]
    for (uint k = 0; k < 4; ++k)
    {
        const uint2 pixel = id.xy * 2 + uint2(k & 1, k >> 1);
        if (pixel.x < size.x && pixel.y < size.y)
            value += log2(max(luminance(source[pixel]), 1e-4)) * weight((float2(pixel) + 0.5) / float2(size));
    }
    const float sum = sumGroup(value, index);
    if (index == 0)
    {
        const uint across = DIV_ROUND_UP(size.x, GROUP_SIDE * 2);
        partialSums[group.y * across + group.x] = sum;
    }
}

[numthreads(GROUP, 1, 1)]
void CSAdapt(uint index : SV_GroupIndex)
{
    float value = 0.0;
    for (uint i = index; i < partials; i += GROUP)
        value += partialSums[i];
    const float sum = sumGroup(value, index);
    if (index > 0)
        return;
    const float target = clamp(exp2(sum / float(size.x * size.y)), limits.x, limits.y);
    const float2 last = adapted[0];
    const float rate = target > last.x ? speed.x : speed.y;
    adapted[0] = float2(last.x + (target - last.x) * (1.0 - exp(-seconds * rate)), last.y + seconds);
}
