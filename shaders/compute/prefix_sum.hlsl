// Exclusive prefix sum over any length, in three dispatches: blocks, the sums of blocks, and adding them back.
#define GROUP 256
#define PER_THREAD 4
#define BLOCK (GROUP * PER_THREAD)

struct ScanConstants
{
    uint count;
    uint blocks;
};

ConstantBuffer<ScanConstants> constants : register(b0);
StructuredBuffer<uint> input : register(t0);
RWStructuredBuffer<uint> output : register(u0);
RWStructuredBuffer<uint> blockSums : register(u1);

groupshared uint shared_[GROUP];

/// Inclusive over the group (Hillis and Steele); returns what lies before the thread, and the whole sum.
uint scanGroup(uint value, uint index, out uint total)
{
    shared_[index] = value;
    GroupMemoryBarrierWithGroupSync();
    [unroll]
    for (uint offset = 1; offset < GROUP; offset <<= 1)
    {
        const uint before = index >= offset ? shared_[index - offset] : 0u;
        GroupMemoryBarrierWithGroupSync();
        shared_[index] += before;
        GroupMemoryBarrierWithGroupSync();
    }
    total = shared_[GROUP - 1];
    return shared_[index] - value;
}

[numthreads(GROUP, 1, 1)]
void CSBlocks(uint index : SV_GroupIndex, uint3 group : SV_GroupID)
{
    const uint first = group.x * BLOCK + index * PER_THREAD;
    uint values[PER_THREAD];
    uint sum = 0;
    [unroll]
    for (uint i = 0; i < PER_THREAD; ++i)
    {
        values[i] = sum;
        sum += first + i < constants.count ? input[first + i] : 0;
    }
    uint total;
    const uint before = scanGroup(sum, index, total);
    [unroll]
    for (uint j = 0; j < PER_THREAD; ++j)
    {
        if (first + j < constants.count)
            output[first + j] = before + values[j];
    }
    if (index == GROUP - 1)
        blockSums[group.x] = total;
}

[numthreads(GROUP, 1, 1)]
void CSSums(uint index : SV_GroupIndex)
{
    uint carry = 0;
    for (uint start = 0; start < constants.blocks; start += GROUP)
    {
        const uint at = start + index;
        const uint value = at < constants.blocks ? blockSums[at] : 0;
        uint total;
        const uint before = scanGroup(value, index, total);
        if (at < constants.blocks)
            blockSums[at] = carry + before;
        carry += total;
        GroupMemoryBarrierWithGroupSync();
    }
}

[numthreads(GROUP, 1, 1)]
void CSAdd(uint3 id : SV_DispatchThreadID)
{
    const uint first = id.x * PER_THREAD;
    const uint before = blockSums[first / BLOCK];
    for (uint i = first; i < min(first + PER_THREAD, constants.count); ++i)
        output[i] += before;
}
