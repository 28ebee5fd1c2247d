// RUN: -T cs_6_0 -E main -O0
// Texel formats and `binding_array` are predeclared names in WGSL.
struct rgba8unorm { float x; };
RWTexture2D<float> r32float : register(u0);
RWStructuredBuffer<rgba8unorm> binding_array : register(u1);
// CHECK: struct rgba8unorm_ {
// CHECK: var<storage, read_write> binding_array_: array<rgba8unorm_>;
// CHECK: var r32float_: texture_storage_2d<r32float, write>;
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) { r32float[id.xy] = binding_array[id.z].x; }
