// Addresses that are misaligned, lead nowhere, or to what is read-only.
ByteAddressBuffer bytes;
RWByteAddressBuffer words;
RWStructuredBuffer<float> target;
RWTexture2D<uint> counters : register(u9);

[numthreads(64, 1, 1)] void loaded(uint i : SV_DispatchThreadID)
{
    target[i] = asfloat(bytes.Load(i * 2));  // loaded: misaligned
}

[numthreads(64, 1, 1)] void pair(uint i : SV_DispatchThreadID)
{
    uint2 two = bytes.Load2(i + 1);  // pair: misaligned
    target[i] = two.x;
}

[numthreads(64, 1, 1)] void counted(uint i : SV_DispatchThreadID)
{
    words.InterlockedAdd(i & 6, 1);  // counted: misaligned
}

[numthreads(64, 1, 1)] void stored(uint i : SV_DispatchThreadID)
{
    words.Store(i * 4 + 1, i);  // stored: misaligned
}

[numthreads(64, 1, 1)] void wide(uint i : SV_DispatchThreadID)
{
    words.InterlockedAdd64(i * 4, 1);  // wide: misaligned
}

[numthreads(64, 1, 1)] void nowhere(uint i : SV_DispatchThreadID)
{
    target[i] = vk::RawBufferLoad<float>(uint64_t(i) * 4);  // nowhere: wild-pointer
}

[numthreads(64, 1, 1)] void written(uint i : SV_DispatchThreadID)
{
    vk::RawBufferStore<uint>(0x123400000000 + uint64_t(i) * 4, i);  // written: wild-pointer
}
