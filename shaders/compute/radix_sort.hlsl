// One pass of a radix sort by four bits: counts digits of a block, then scatters keys and payloads in stable order.
#define GROUP 128
#define RADIX_BITS 4
#define RADIX (1 << RADIX_BITS)

struct SortConstants
{
    uint count;
    uint shift;
    uint groups;
    uint descending;
};

[[vk::push_constant]] ConstantBuffer<SortConstants> sort;
ByteAddressBuffer keysIn : register(t0);
ByteAddressBuffer valuesIn : register(t1);
StructuredBuffer<uint> offsets : register(t2);
RWByteAddressBuffer keysOut : register(u0);
RWByteAddressBuffer valuesOut : register(u1);
RWStructuredBuffer<uint> counts : register(u2);

groupshared uint digitCounts[RADIX];
groupshared uint scanned[GROUP];
groupshared uint2 sorted[GROUP];

uint orderedKey(uint key)
{
    // Floats as ints that compare alike.
    const uint mask = uint(-int(key >> 31)) | 0x80000000u;
    return sort.descending ? ~(key ^ mask) : key ^ mask;
}

uint digitOf(uint key)
{
    return orderedKey(key) >> sort.shift & (RADIX - 1);
}

[numthreads(GROUP, 1, 1)]
void CSCount(uint3 id : SV_DispatchThreadID, uint index : SV_GroupIndex, uint3 group : SV_GroupID)
{
    if (index < RADIX)
        digitCounts[index] = 0;
    GroupMemoryBarrierWithGroupSync();
    if (id.x < sort.count)
    {
        uint ignored;
        InterlockedAdd(digitCounts[digitOf(keysIn.Load(id.x * 4))], 1, ignored);
    }
    GroupMemoryBarrierWithGroupSync();
    if (index < RADIX)
        counts[index * sort.groups + group.x] = digitCounts[index];
}

uint rank(bool bit, uint index, out uint zeros)
{
    scanned[index] = bit ? 0 : 1;
    GroupMemoryBarrierWithGroupSync();
    for (uint offset = 1; offset < GROUP; offset *= 2)
    {
        uint before = 0;
        if (index >= offset)
            before = scanned[index - offset];
        GroupMemoryBarrierWithGroupSync();
        scanned[index] += before;
        GroupMemoryBarrierWithGroupSync();
    }
    zeros = scanned[GROUP - 1];
    const uint before0 = scanned[index] - (bit ? 0 : 1);
    return bit ? zeros + index - before0 : before0;
}

[numthreads(GROUP, 1, 1)]
void CSScatter(uint3 id : SV_DispatchThreadID, uint index : SV_GroupIndex, uint3 group : SV_GroupID)
{
    const bool live = id.x < sort.count;
    uint2 pair = uint2(0xffffffffu, 0u);
    if (live)
        pair = uint2(keysIn.Load(id.x << 2), valuesIn.Load(id.x << 2));

    // Stable split by each bit of the digit; what is past the end sorts behind.
    uint digit = live ? digitOf(pair.x) : RADIX - 1;
    for (uint b = 0; b < RADIX_BITS; ++b)
    {
        uint zeros;
        const uint to = rank((digit >> b & 1) != 0, index, zeros);
        sorted[to] = uint2(pair.x, pair.y);
        GroupMemoryBarrierWithGroupSync();
        scanned[to] = digit;
        GroupMemoryBarrierWithGroupSync();
        pair = sorted[index];
        digit = scanned[index];
        GroupMemoryBarrierWithGroupSync();
    }

    if (index < RADIX)
        digitCounts[index] = 0xffffffffu;
    GroupMemoryBarrierWithGroupSync();
    InterlockedMin(digitCounts[digit], index);
    GroupMemoryBarrierWithGroupSync();
    const uint inBlock = group.x * GROUP + index;
    if (inBlock < sort.count)
    {
        const uint at = offsets[digit * sort.groups + group.x] + index - digitCounts[digit];
        keysOut.Store(at * 4, pair.x);
        valuesOut.Store(at * 4, pair.y);
    }
}
