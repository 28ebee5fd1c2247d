// RUN: -T ps_6_6 -E main -O3

// CHECK: [[heap:%[a-zA-Z0-9_]+]] = OpVariable %_ptr_Uniform__runtimearr_type_ConstantBuffer_S Uniform
// CHECK: [[index:%[0-9]+]] = OpLoad %uint %in_var_I
// CHECK: OpAccessChain %_ptr_Uniform_v4float [[heap]] [[index]] {{%u?int_1}}
struct S { float4 u, v; };
float4 main(nointerpolation uint i : I) : SV_Target {
  ConstantBuffer<S> x = ResourceDescriptorHeap[i];
  return x.v;
}
