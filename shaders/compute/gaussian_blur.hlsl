// Separable Gaussian blur: a line of pixels with its apron goes through group-shared memory.  HORIZONTAL, RADIUS.
#ifndef RADIUS
#define RADIUS 8
#endif
#define GROUP 128
#define CACHED (GROUP + 2 * RADIUS)

cbuffer Blur : register(b0)
{
    int2 size;
    float sigma;
    uint sourceLevel;
};

Texture2D<float4> source : register(t0);
RWTexture2D<float4> target : register(u0);

groupshared float4 cache[CACHED];
groupshared float weights[RADIUS + 1];

int2 place(int along, int across)
{
#if HORIZONTAL
    return int2(along, across);
#else
    return int2(across, along);
#endif
}

float4 load(int along, int across)
{
#if HORIZONTAL
    along = clamp(along, 0, size.x - 1);
#else
    along = clamp(along, 0, size.y - 1);
#endif
    return source.mips[sourceLevel][place(along, across)];
}

#if HORIZONTAL
[numthreads(GROUP, 1, 1)]
#else
[numthreads(1, GROUP, 1)]
#endif
void CSMain(uint index : SV_GroupIndex, uint3 group : SV_GroupID)
{
#if HORIZONTAL
    const int across = int(group.y);
    const int first = int(group.x) * GROUP;
#else
    const int across = int(group.x);
    const int first = int(group.y) * GROUP;
#endif
    for (uint n = index; n < CACHED; n += GROUP)
        cache[n] = load(first + int(n) - RADIUS, across);
    if (index <= RADIUS)
        weights[index] = exp(-0.5 * float(index * index) / (sigma * sigma));
    GroupMemoryBarrierWithGroupSync();

    const int along = first + int(index);
    const int2 pixel = place(along, across);
    if (any(pixel >= size))
        return;

    float4 sum = cache[index + RADIUS] * weights[0];
    float total = weights[0];
    [unroll]
    for (int k = 1; k <= RADIUS; ++k)
    {
        sum += (cache[index + RADIUS - k] + cache[index + RADIUS + k]) * weights[k];
        total += 2.0 * weights[k];
    }
    target[pixel] = sum / total;
}
