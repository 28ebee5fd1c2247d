// RUN: -T ps_6_0 -E main
// WGSL has no arrays of textures: each element that is used is a variable, with bindings of its own from the second
// on, which follow each other whether they are used or not.
Texture2D colours[3] : register(t0);
SamplerState plain : register(s5);

// CHECK: @group(0) @binding(0) var colours_0: texture_2d<f32>;
// CHECK: @group(0) @binding(701) var colours_2: texture_2d<f32>;
// CHECK: @group(0) @binding(5) var plain: sampler;
float4 main(float2 uv : UV) : SV_Target {
  // CHECK: textureSample(colours_0, plain, UV) + textureSample(colours_2, plain, UV)
  return colours[0].Sample(plain, uv) + colours[2].Sample(plain, uv);
}
