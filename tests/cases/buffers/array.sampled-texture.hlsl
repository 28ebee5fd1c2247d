// RUN: -T ps_6_0 -E main -fcgl

// An array without a length of combined images and samplers is an array of descriptors like one of images.

// CHECK: OpCapability RuntimeDescriptorArray
// CHECK-NEXT: OpCapability ShaderNonUniform
// CHECK-NEXT: OpCapability SampledImageArrayNonUniformIndexing
// CHECK: OpExtension "SPV_EXT_descriptor_indexing"
// CHECK: %_runtimearr_type_sampled_image = OpTypeRuntimeArray %type_sampled_image
vk::SampledTexture2D<float4> textures[];

float4 main(float2 uv : UV, nointerpolation uint i : I) : SV_Target {
  return textures[NonUniformResourceIndex(i)].Sample(uv);
}
