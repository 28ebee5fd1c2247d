// Stream compaction with wave operations: ballots and prefix counts in place of group-shared memory where they can be.
#include "common.hlsli"

#define GROUP 256

struct Candidate
{
    float3 position;
    float importance;
};

cbuffer Compaction : register(b0)
{
    uint count;
    float threshold;
    float2 range;
};

StructuredBuffer<Candidate> candidates : register(t0);
RWStructuredBuffer<uint> kept : register(u0);
RWByteAddressBuffer totals : register(u1);      // kept, most important (float bits), lanes seen, sum of squares

groupshared uint waveCounts[GROUP];
groupshared uint groupBase;

[numthreads(GROUP, 1, 1)]
void CSMain(uint3 id : SV_DispatchThreadID, uint index : SV_GroupIndex)
{
    const bool inside = id.x < count;
    Candidate candidate = (Candidate)0;
    if (inside)
        candidate = candidates[id.x];
    const bool keep = inside && candidate.importance > threshold;

    const uint wave = index / WaveGetLaneCount();
    const uint before = WavePrefixCountBits(keep);
    const uint inWave = WaveActiveCountBits(keep);
    if (WaveIsFirstLane())
        waveCounts[wave] = inWave;
    GroupMemoryBarrierWithGroupSync();

    uint base = 0;
    for (uint w = 0; w < wave; ++w)
        base += waveCounts[w];
    if (index == GROUP - 1)
        totals.InterlockedAdd(0, base + inWave, groupBase);
    GroupMemoryBarrierWithGroupSync();
    if (keep)
        kept[groupBase + base + before] = id.x;

    const float best = WaveActiveMax(candidate.importance);
    const float3 centre = WaveActiveSum(candidate.position) / float(WaveActiveCountBits(true));
    const uint4 ballot = WaveActiveBallot(inside);
    if (WaveIsFirstLane())
    {
        totals.InterlockedMax(4, asuint(best));
        totals.InterlockedOr(8, ballot.x | ballot.y | ballot.z | ballot.w);
    }
    if (WaveActiveAnyTrue(dot(centre, centre) > square(range.y)) && WaveActiveAllTrue(inside))
    {
        const float first = WaveReadLaneFirst(candidate.importance);
        const float next = WaveReadLaneAt(candidate.importance, (WaveGetLaneIndex() + 1) % WaveGetLaneCount());
        const float across = QuadReadAcrossX(candidate.importance) + QuadReadAcrossDiagonal(candidate.importance);
        if (next + across > first)
            totals.InterlockedAdd(12, uint(max(next, 0.0)));
    }
}
