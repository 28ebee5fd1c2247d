// RUN: -T cs_6_0 -E main -O0

// A status may go to any place that a uint converts to: it is stored there after the access.
Texture2D<float4> image;
SamplerState filter;
Buffer<float4> texels;
RWBuffer<uint> places;
RWStructuredBuffer<float4> results;
struct Bits { uint a : 4, b : 28; };

[numthreads(1, 1, 1)] void main()
{
    uint plain;
    // CHECK: OpImageSparseFetch
    // CHECK: OpStore %plain
    results[0] = image.Load(int3(0, 0, 0), int2(0, 0), plain);
    int number;
    // CHECK: OpImageSparseFetch
    // CHECK: OpStore %temp_var_uint
    // CHECK: [[code:%\w+]] = OpLoad %uint %temp_var_uint
    // CHECK: [[signed:%\w+]] = OpBitcast %int [[code]]
    // CHECK: OpStore %number [[signed]]
    results[1] = texels.Load(0, number);
    bool mapped[2];
    // CHECK: OpImageSparseSampleExplicitLod
    // CHECK: [[truth:%\w+]] = OpINotEqual %bool
    // CHECK: OpStore {{%\w+}} [[truth]]
    results[2] = image.SampleLevel(filter, 0, 0, int2(0, 0), mapped[number]);
    // CHECK: OpImageSparseGather
    // CHECK: OpImageWrite
    results[3] = image.GatherRed(filter, 0, 0, 1, 2, 3, places[number]);
    Bits bits;
    // CHECK: OpImageSparseGather
    // CHECK: OpBitFieldInsert
    results[4] = image.Gather(filter, 0, int2(0, 0), bits.b);
}
