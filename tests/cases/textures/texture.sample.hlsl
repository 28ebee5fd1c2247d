// RUN: -T ps_6_0 -E main -fcgl

// CHECK: %type_2d_image = OpTypeImage %float 2D 2 0 0 1 Unknown
// CHECK: [[t:%[0-9]+]] = OpLoad %type_2d_image %t
// CHECK: [[s:%[0-9]+]] = OpLoad %type_sampler %s
// CHECK: [[i:%[0-9]+]] = OpSampledImage %type_sampled_image [[t]] [[s]]
// CHECK: OpImageSampleImplicitLod %v4float [[i]] {{%[0-9]+}} None
// CHECK: OpImageSampleExplicitLod %v4float {{%[0-9]+}} {{%[0-9]+}} Lod %float_2
// CHECK: OpImageSampleImplicitLod %v4float {{%[0-9]+}} {{%[0-9]+}} Bias
// CHECK: OpImageSampleDrefImplicitLod %float
Texture2D t;
SamplerState s;
SamplerComparisonState c;
float4 main(float2 uv : UV) : SV_Target {
    float4 a = t.Sample(s, uv);
    float4 b = t.SampleLevel(s, uv, 2);
    float4 d = t.SampleBias(s, uv, 0.5);
    return a + b + d + t.SampleCmp(c, uv, 0.25);
}
