// RUN: -T cs_6_6 -E main -Zi
// Lines stay where functions are inlined and variables become values; the resource is known as it is without lines.

// CHECK: OpLine [[file:%[0-9]+]] 19 69
// CHECK: [[address:%[0-9]+]] = OpLoad %ulong
// CHECK: OpLine [[file]] 19 42
// CHECK: OpLoad %uint {{%[0-9]+}} Aligned 4
// CHECK: OpAccessChain %_ptr_UniformConstant_type_2d_image %ResourceDescriptorHeap
// CHECK: OpLine [[file]] 16 35
// CHECK: OpImageFetch %v4float
// CHECK: OpLine [[file]] 20 5
// CHECK: OpStore
struct P { uint64_t a; };
RWStructuredBuffer<float4> o;
[[vk::push_constant]] P pc;
float4 read(Texture2D t) { return t.Load(int3(0, 0, 0)); }
[numthreads(1, 1, 1)]
void main() {
    Texture2D t = ResourceDescriptorHeap[vk::RawBufferLoad<uint>(pc.a)];
    o[0] = read(t);
}
