// Reads of what was never written.
struct Pair { float a; float b; };
RWStructuredBuffer<float> target;
RWByteAddressBuffer words;
groupshared float shared_values[64];
groupshared uint count;
float limit;

[numthreads(64, 1, 1)] void branch(uint i : SV_DispatchThreadID)
{
    float x;
    if (i < 32)
        x = 1;
    if (x > 2)  // branch: uninitialized
        target[i] = 1;
}

[numthreads(64, 1, 1)] void summed(uint i : SV_DispatchThreadID)
{
    float sum;
    for (uint n = 0; n < 4; ++n)
        sum += n;  // summed: uninitialized
    target[i] = sum;
}

Pair made(float a)
{
    Pair p;
    p.a = a;
    return p;  // member: uninitialized
}

[numthreads(64, 1, 1)] void member(uint i : SV_DispatchThreadID)
{
    Pair p = made(i);
    target[i] = p.a + p.b;
}

[numthreads(64, 1, 1)] void element(uint i : SV_DispatchThreadID)
{
    float values[4];
    for (uint n = 0; n < 3; ++n)
        values[n] = n;
    target[i] = values[i & 3];  // element: uninitialized
}

void maybe(uint i, out float x)
{
    if (i & 1)
        x = 1;
}

[numthreads(64, 1, 1)] void parameter(uint i : SV_DispatchThreadID)
{
    float x;
    maybe(i, x);
    target[i] = x;  // parameter: uninitialized
}

[numthreads(64, 1, 1)] void shared_memory(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    if (l < 63)
        shared_values[l] = i;
    GroupMemoryBarrierWithGroupSync();
    target[i] = shared_values[l];  // shared_memory: uninitialized
}

[numthreads(64, 1, 1)] void counter(uint i : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    InterlockedAdd(count, 1);  // counter: uninitialized
    GroupMemoryBarrierWithGroupSync();
    target[i] = count;
}

[numthreads(64, 1, 1)] void index(uint i : SV_DispatchThreadID)
{
    uint at;
    if (i > 10)
        at = i;
    words.Store(at * 4, 1);  // index: uninitialized
}
