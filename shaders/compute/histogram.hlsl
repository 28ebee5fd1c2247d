// A histogram of log luminance, counted in group-shared memory first, and the average that exposure adapts to.
#include "common.hlsli"

#define BINS 256

cbuffer Histogram : register(b0)
{
    uint2 size;
    float minLog;
    float inverseRange;
    float range;
    float adaptation;
    float2 percentiles;
};

Texture2D<float4> source : register(t0);
RWByteAddressBuffer histogram : register(u0);
RWStructuredBuffer<float> average : register(u1);

groupshared uint counts[BINS];
groupshared float2 sums[BINS];

uint binOf(float3 colour)
{
    const float l = luminance(colour);
    if (l < 0.005)
        return 0;
    const float t = saturate((log2(l) - minLog) * inverseRange);
    return uint(t * (BINS - 2) + 1.0);
}

[numthreads(16, 16, 1)]
void CSCount(uint3 id : SV_DispatchThreadID, uint index : SV_GroupIndex)
{
    counts[index] = 0;
    GroupMemoryBarrierWithGroupSync();
    if (all(id.xy < size))
        InterlockedAdd(counts[binOf(source[id.xy].rgb)], 1);
    GroupMemoryBarrierWithGroupSync();
    if (counts[index] > 0)
        histogram.InterlockedAdd(index * 4, counts[index]);
}

[numthreads(BINS, 1, 1)]
void CSAverage(uint index : SV_GroupIndex)
{
    const uint count = histogram.Load(index << 2);
    histogram.Store(index << 2, 0u);
    counts[index] = count;
    GroupMemoryBarrierWithGroupSync();

    uint before = 0;
    for (uint i = 0; i < index; ++i)
        before += counts[i];
    const float pixels = float(size.x * size.y);
    const float low = pixels * percentiles.x, high = pixels * percentiles.y;
    const float kept = max(min(float(before + count), high) - max(float(before), low), 0.0);
    sums[index] = float2(kept * float(index), kept);

    [unroll]
    for (uint half_ = BINS / 2; half_ > 0; half_ >>= 1)
    {
        GroupMemoryBarrierWithGroupSync();
        if (index < half_)
            sums[index] += sums[index + half_];
    }
    if (index != 0)
        return;
    const float bin = sums[0].x / max(sums[0].y, 1.0) - 1.0;
    const float target = exp2(bin / (BINS - 2.0) * range + minLog);
    const float last = average[0];
    average[0] = isnan(last) || isinf(last) ? target : last + (target - last) * adaptation;
}
