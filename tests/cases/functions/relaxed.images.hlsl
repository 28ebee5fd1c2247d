// RUN: -T ps_6_0 -E main -fcgl relaxed.images.hlsl

// What is read from an image of minimum precision is relaxed, a comparison of type float among it.
Texture2D<min16float> image;
SamplerComparisonState compare;

// CHECK: OpDecorate %image RelaxedPrecision
// CHECK: OpDecorate [[load:%[0-9]+]] RelaxedPrecision
// CHECK: OpDecorate [[sample:%[0-9]+]] RelaxedPrecision
// CHECK: [[load]] = OpLoad %type_2d_image %image
// CHECK: [[sample]] = OpImageSampleDrefExplicitLod
float4 main() : SV_Target { return image.SampleCmpLevelZero(compare, float2(0, 0), 0); }
