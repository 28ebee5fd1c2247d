// RUN: -T ps_6_6 -E main

// CHECK-DAG: OpCapability ShaderNonUniform
// CHECK-DAG: OpCapability SampledImageArrayNonUniformIndexing
// CHECK: OpDecorate {{%[0-9]+}} NonUniform
// CHECK: OpDecorate [[pointer:%[0-9]+]] NonUniform
// CHECK: OpDecorate [[image:%[0-9]+]] NonUniform
// CHECK: [[pointer]] = OpAccessChain %_ptr_UniformConstant_type_2d_image %ResourceDescriptorHeap
// CHECK: [[image]] = OpLoad %type_2d_image
struct Pixel { nointerpolation uint i : I; float2 at : AT; };
float4 main(Pixel p) : SV_Target {
  Texture2D<float4> t = ResourceDescriptorHeap[NonUniformResourceIndex(p.i)];
  SamplerState s = SamplerDescriptorHeap[0];
  return t.Sample(s, p.at);
}
