// RUN: -T ps_6_0 -E main
// A texture that is compared is a depth texture, also where it is read otherwise; one sampler used both ways is two.
Texture2D<float> shadow : register(t0);
Texture2D colour : register(t1);
SamplerState plain : register(s2);
SamplerComparisonState compared : register(s3);

// CHECK: diagnostic(off, derivative_uniformity);
// CHECK: @group(0) @binding(0) var shadow: texture_depth_2d;
// CHECK: @group(0) @binding(1) var colour: texture_2d<f32>;
// CHECK: @group(0) @binding(2) var plain: sampler;
// CHECK: @group(0) @binding(3) var compared: sampler_comparison;
// CHECK: fn main(@builtin(position) {{\w+}}: vec4f, @location(0) UV: vec3f) -> @location(0) vec4f {
float4 main(float4 p : SV_Position, float3 uv : UV) : SV_Target {
  float lit = shadow.SampleCmpLevelZero(compared, uv.xy, uv.z);
  lit += shadow.Load(int3(p.xy, 0));
  // CHECK: [[uv:\w+]] = UV.xy;
  // CHECK: textureSampleBias(colour, plain, [[uv]], 1.0f)
  // CHECK-SAME: textureSampleCompareLevel(shadow, compared, [[uv]], UV.z)
  // CHECK-SAME: textureLoad(shadow, {{.*}}, 0i)
  return lit * colour.SampleBias(plain, uv.xy, 1);
}
