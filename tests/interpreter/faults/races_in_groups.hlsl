// Threads of a group that access the same bytes without a barrier.
RWStructuredBuffer<uint> target;
RWTexture2D<uint> canvas;
groupshared uint values[64];
groupshared uint total;
groupshared float2 pairs[64];

[numthreads(64, 1, 1)] void neighbour(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    values[l] = i;
    target[i] = values[l ^ 1];  // neighbour: race
}

[numthreads(64, 1, 1)] void initialised(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    if (l == 0)
        total = 0;
    InterlockedAdd(total, i);  // initialised: race
    GroupMemoryBarrierWithGroupSync();
    target[i] = total;
}

[numthreads(64, 1, 1)] void reduced(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    values[l] = i;
    GroupMemoryBarrierWithGroupSync();
    for (uint step = 32; step > 0; step >>= 1) {
        if (l < step)
            values[l] += values[l + step];  // reduced: race
    }
    if (l == 0)
        target[i] = values[0];
}

[numthreads(64, 1, 1)] void everyone(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    total = l;  // everyone: race
    GroupMemoryBarrierWithGroupSync();
    target[i] = total;
}

[numthreads(64, 1, 1)] void overwritten(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    values[l] = i;
    GroupMemoryBarrierWithGroupSync();
    uint other = values[63 - l];
    values[l] = other;  // overwritten: race
    GroupMemoryBarrierWithGroupSync();
    target[i] = values[l];
}

[numthreads(64, 1, 1)] void wrong_barrier(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    target[i] = l;
    GroupMemoryBarrierWithGroupSync();
    uint other = target[i ^ 1];  // wrong_barrier: race
    DeviceMemoryBarrierWithGroupSync();
    target[i] = other;
}

[numthreads(64, 1, 1)] void no_sync(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    pairs[l].y = i;
    GroupMemoryBarrier();
    target[i] = pairs[63 - l].y;  // no_sync: race
}

[numthreads(64, 1, 1)] void texels(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    canvas[uint2(l, i >> 6)] = i;
    target[i] = canvas[uint2(l ^ 1, i >> 6)];  // texels: race
}
