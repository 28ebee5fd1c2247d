// Faults of numbers that share words or vectors with others, in loops, and across the lanes of a wave.
struct Packed { uint low : 16; uint high : 16; };
RWStructuredBuffer<uint> target;
RWStructuredBuffer<Packed> packed;
RWByteAddressBuffer words;
AppendStructuredBuffer<float4> list;
groupshared uint values[64];

[numthreads(64, 1, 1)] void bit_fields(uint i : SV_DispatchThreadID)
{
    if (i & 1)
        packed[i / 2].low = i;  // bit_fields: race
    else
        packed[i / 2].high = i;
}

[numthreads(64, 1, 1)] void two_words(uint i : SV_DispatchThreadID)
{
    if (i < 100)
        words.Store2(i * 4, uint2(i, i + 7));  // two_words: race
}

[numthreads(64, 1, 1)] void refilled(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    uint sum = 0;
    for (uint k = 0; k < 4; ++k) {
        values[l] = k + l;  // refilled: race
        GroupMemoryBarrierWithGroupSync();
        sum += values[l + 1 & 63];
    }
    target[i] = sum;
}

[numthreads(64, 1, 1)] void iterations(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    for (uint k = 0; k < l % 3; ++k)
        GroupMemoryBarrierWithGroupSync();  // iterations: barrier-divergent
    target[i] = l;
}

[numthreads(64, 1, 1)] void fenced_too_early(uint i : SV_DispatchThreadID)
{
    DeviceMemoryBarrier();
    target[i] = i;
    GroupMemoryBarrierWithGroupSync();
    words.Store(i * 4, target[i ^ 1]);  // fenced_too_early: race
}

[numthreads(64, 1, 1)] void no_default(uint i : SV_DispatchThreadID)
{
    uint v;
    switch (i & 3) {
    case 0: v = 1; break;
    case 1: v = 2; break;
    case 2: v = 3; break;
    }
    target[i] = v;  // no_default: uninitialized
}

[numthreads(64, 1, 1)] void appended(uint i : SV_DispatchThreadID)
{
    float4 v;
    v.xyz = i;
    list.Append(v);  // appended: uninitialized
}

[numthreads(64, 1, 1)] void summed(uint i : SV_DispatchThreadID)
{
    uint v;
    if (i & 1)
        v = 1;
    target[i] = WaveActiveSum(v);  // summed: uninitialized
}
