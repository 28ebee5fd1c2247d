// RUN: not -T ps_6_0 -E main
// RUN: not -T ps_6_0 -E main -fcgl

// The sampler says that it is one half of a pair; the texture at its binding does not.
Texture2D t : register(t1);
// CHECK: fatal error: Texture or Sampler with {{.*}}combinedImageSampler{{.*}} attribute is missing for descriptor set and binding: 0, 1
[[vk::combinedImageSampler]] SamplerState s : register(s1);
float4 main(float2 uv : UV) : SV_Target { return t.Sample(s, uv); }
