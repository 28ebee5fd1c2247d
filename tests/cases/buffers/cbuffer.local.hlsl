// RUN: -T cs_6_6 -E main -O0

// Vulkan has no local variables of blocks: copies of constant buffers go even where nothing is optimised.
// CHECK-NOT: %_ptr_Function_type_ConstantBuffer_S
// CHECK: OpAccessChain %_ptr_Uniform_v4float %g %int_0
// CHECK-NOT: %_ptr_Function_type_ConstantBuffer_S
struct S { float4 v; };
RWStructuredBuffer<float4> o;
ConstantBuffer<S> g;
float4 f(ConstantBuffer<S> c) { return c.v; }
[numthreads(8, 8, 1)] void main() {
  ConstantBuffer<S> x = g;
  o[0] = x.v + f(g);
}
