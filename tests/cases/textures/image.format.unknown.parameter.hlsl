// RUN: -T cs_6_0 -E main
// RUN: -T cs_6_0 -E main -O0
// A texture without a format keeps its capabilities through functions.

// CHECK-DAG: OpCapability StorageImageReadWithoutFormat
// CHECK-DAG: OpCapability StorageImageWriteWithoutFormat
// CHECK: OpTypeImage %float 2D 2 0 0 2 Unknown
[[vk::image_format("unknown")]] RWTexture2D<float4> t;
float4 read(RWTexture2D<float4> x, uint2 p) { return x[p]; }
void write(RWTexture2D<float4> x, uint2 p, float4 v) { x[p] = v; }
[numthreads(8, 8, 1)] void main(uint3 id : SV_DispatchThreadID) { write(t, id.xy, read(t, id.yx)); }
