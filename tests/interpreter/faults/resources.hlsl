// Indices of resources: outside of the array, or different in a wave without the mark.
Texture2D<float4> pictures[4];
StructuredBuffer<float> sources[4];
RWStructuredBuffer<float> target;

[numthreads(64, 1, 1)] void unmarked(uint i : SV_DispatchThreadID)
{
    target[i] = pictures[i & 3][uint2(0, 0)].x;  // unmarked: index-not-uniform
}

[numthreads(64, 1, 1)] void one_thread(uint i : SV_DispatchThreadID)
{
    uint index = i == 77 ? 1 : 0;
    target[i] = pictures[index].Load(int3(0, 0, 0)).x;  // one_thread: index-not-uniform
}

[numthreads(64, 1, 1)] void buffers(uint i : SV_DispatchThreadID)
{
    target[i] = sources[i / 8 & 3][0];  // buffers: index-not-uniform
}

[numthreads(64, 1, 1)] void behind(uint i : SV_DispatchThreadID)
{
    target[i] = pictures[NonUniformResourceIndex(i / 20)][uint2(0, 0)].x;  // behind: resource-outside
}

[numthreads(64, 1, 1)] void uniform_behind(uint i : SV_DispatchThreadID, uint g : SV_GroupID)
{
    target[i] = sources[g + 3][0];  // uniform_behind: resource-outside
}

[numthreads(64, 1, 1)] void half_a_wave(uint i : SV_DispatchThreadID)
{
    float sum = 0;
    for (uint n = 0; n < 2; ++n)
        sum += pictures[(i / 16 + n) & 3][uint2(0, 0)].x;  // half_a_wave: index-not-uniform
    target[i] = sum;
}
