// Coordinates outside of textures, which have 64 texels in each direction.
Texture2D<float4> picture;
Texture2DArray<float4> pages;
Texture3D<float> volume;
RWTexture2D<float4> canvas;
RWTexture2D<uint> counters;
RWBuffer<uint> typed;
RWStructuredBuffer<float4> target;

[numthreads(64, 1, 1)] void fetched(uint i : SV_DispatchThreadID)
{
    target[i] = picture[uint2(i, 0)];  // fetched: texel-outside
}

[numthreads(64, 1, 1)] void offset_by_one(uint i : SV_DispatchThreadID)
{
    int3 at = int3(i & 63, 63, 0);
    target[i] = picture.Load(at, int2(0, 1));  // offset_by_one: texel-outside
}

[numthreads(64, 1, 1)] void level(uint i : SV_DispatchThreadID)
{
    target[i] = picture.Load(int3(0, 0, i & 15));  // level: texel-outside
}

[numthreads(64, 1, 1)] void layer(uint i : SV_DispatchThreadID)
{
    target[i] = pages.Load(int4(0, 0, i, 0));  // layer: texel-outside
}

[numthreads(64, 1, 1)] void slice(uint i : SV_DispatchThreadID)
{
    target[i] = volume[uint3(0, 0, i)];  // slice: texel-outside
}

[numthreads(64, 1, 1)] void painted(uint i : SV_DispatchThreadID)
{
    canvas[int2(i, -1)] = i;  // painted: texel-outside
}

[numthreads(64, 1, 1)] void counted(uint i : SV_DispatchThreadID)
{
    InterlockedAdd(counters[uint2(i, 1)], 1);  // counted: texel-outside
}

[numthreads(64, 1, 1)] void numbers(uint i : SV_DispatchThreadID)
{
    typed[i + 1] = i;  // numbers: texel-outside
}
