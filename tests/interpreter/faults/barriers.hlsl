// Barriers that not all threads of a group reach.
RWStructuredBuffer<uint> target;
StructuredBuffer<uint> lengths;
groupshared uint values[64];

[numthreads(64, 1, 1)] void early_return(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    if (i >= 100)
        return;
    values[l] = i;
    GroupMemoryBarrierWithGroupSync();  // early_return: barrier-divergent
    target[i] = values[l];
}

[numthreads(64, 1, 1)] void one_branch(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    values[l] = i;
    if (l < 32) {
        GroupMemoryBarrierWithGroupSync();  // one_branch: barrier-divergent
        target[i] = values[l];
    }
}

[numthreads(64, 1, 1)] void both_branches(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    if (l & 1) {
        values[l] = i;
        GroupMemoryBarrierWithGroupSync();  // both_branches: barrier-divergent
    } else {
        values[l] = 0;
        GroupMemoryBarrierWithGroupSync();  // both_branches: barrier-divergent
    }
    target[i] = values[l];
}

[numthreads(64, 1, 1)] void loop(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    for (uint n = 0; n < l / 32 + 1; ++n) {
        AllMemoryBarrierWithGroupSync();  // loop: barrier-divergent
        target[i] = n;
    }
}

void synchronised(uint l)
{
    DeviceMemoryBarrierWithGroupSync();  // called: barrier-divergent
}

[numthreads(64, 1, 1)] void called(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    target[i] = 1;
    if (l != 5)
        synchronised(l);
}

[numthreads(64, 1, 1)] void left(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    for (uint n = 0; n < 4; ++n) {
        if (n == 2 && l == 0)
            break;
        GroupMemoryBarrierWithGroupSync();  // left: barrier-divergent
    }
    target[i] = 2;
}
