// RUN: -T cs_6_0 -E main -fcgl

// CHECK: OpTypeImage %float 2D 2 0 0 2 Rg32f
// CHECK: [[r:%[0-9]+]] = OpImageRead %v4float
// CHECK: OpVectorShuffle %v2float [[r]] [[r]] 0 1
// CHECK: OpImageWrite
RWTexture2D<float2> i;
[numthreads(1, 1, 1)] void main(uint2 at : SV_DispatchThreadID) { i[at] = i[at + 1] * 2; }
