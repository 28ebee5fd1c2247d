// Groups that access the same bytes: no barrier orders them.
RWStructuredBuffer<uint> target;
RWByteAddressBuffer words;
RWTexture2D<uint> canvas;
RWBuffer<uint> typed;
globallycoherent RWStructuredBuffer<uint> flags;

[numthreads(64, 1, 1)] void halo(uint i : SV_DispatchThreadID)
{
    target[i] = i;
    AllMemoryBarrierWithGroupSync();
    uint other = target[i + 1 & 127];  // halo: race
    AllMemoryBarrierWithGroupSync();
    target[i & 63] = other;  // halo: race
}

[numthreads(64, 1, 1)] void last_wins(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    target[l] = i;  // last_wins: race
}

[numthreads(64, 1, 1)] void counter(uint i : SV_DispatchThreadID)
{
    uint old = words.Load(0);
    if (i % 64 == 0)
        words.Store(0, old + 1);  // counter: race
}

[numthreads(64, 1, 1)] void mixed(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    uint old;
    InterlockedAdd(target[l], i, old);
    if (i == 64)
        target[0] = 7;  // mixed: race
}

[numthreads(64, 1, 1)] void texels(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    canvas[uint2(l, 0)] = i;  // texels: race
}

[numthreads(64, 1, 1)] void numbers(uint i : SV_DispatchThreadID, uint g : SV_GroupID)
{
    typed[i] = i;
    if (g == 1)
        typed[0] = 5;  // numbers: race
}
