// Accesses outside of buffers.  A comment names the entry point and the kind of fault that its line has.
StructuredBuffer<float> source;
StructuredBuffer<float4> vectors;
ByteAddressBuffer bytes;
Buffer<float> typed;
RWStructuredBuffer<float> target;
RWByteAddressBuffer words;
uint length_of_source;

[numthreads(64, 1, 1)] void neighbour(uint i : SV_DispatchThreadID)
{
    float sum = source[i];
    sum += source[i + 1];  // neighbour: read-outside
    target[i] = sum;
}

[numthreads(64, 1, 1)] void negative(uint i : SV_DispatchThreadID)
{
    int before = int(i) - 1;
    target[i] = source[before];  // negative: read-outside
}

[numthreads(64, 1, 1)] void scaled(uint i : SV_DispatchThreadID)
{
    float x = source[i];
    target[i * 2] = x;  // scaled: write-outside
}

[numthreads(64, 1, 1)] void component(uint i : SV_DispatchThreadID)
{
    float4 v = vectors[i >> 1];
    target[i] = v.x
        + vectors[i + 100].w;  // component: read-outside
}

[numthreads(64, 1, 1)] void address(uint i : SV_DispatchThreadID)
{
    uint4 four = bytes.Load4(i * 4);  // address: read-outside
    target[i] = asfloat(four.x);
}

[numthreads(64, 1, 1)] void element(uint i : SV_DispatchThreadID)
{
    uint count;
    typed.GetDimensions(count);
    target[i] = typed[count - i];  // element: texel-outside
}

[numthreads(64, 1, 1)] void stored(uint i : SV_DispatchThreadID)
{
    words.Store(i * 8, asuint(source[i]));  // stored: write-outside
}

void add(uint at, uint value)
{
    words.InterlockedAdd(at * 4, value);  // counted: write-outside
}

[numthreads(64, 1, 1)] void counted(uint i : SV_DispatchThreadID)
{
    add(i + 3, 1);
}
