// RUN: -T ps_6_0 -E main
// An index that is computed selects the case of a switch, in a function that all uses of one kind call.  Where it may
// differ between neighbours, the derivatives are taken before.
Texture2D colours[3] : register(t0);
SamplerState plain[2] : register(s5);

// CHECK: diagnostic(off, derivative_uniformity);
// CHECK: @group(0) @binding(0) var colours_0: texture_2d<f32>;
// CHECK: @group(0) @binding(700) var colours_1: texture_2d<f32>;
// CHECK: @group(0) @binding(701) var colours_2: texture_2d<f32>;
// CHECK: @group(0) @binding(5) var plain_0: sampler;
// CHECK: @group(0) @binding(702) var plain_1: sampler;
// CHECK: fn sample_grad_colours(index: u32, coordinates: vec2f, ddx: vec2f, ddy: vec2f) -> vec4f {
// CHECK-NEXT: switch index {
// CHECK-NEXT: case 0u: { return textureSampleGrad(colours_0, plain_0, coordinates, ddx, ddy); }
// CHECK-NEXT: case 1u: { return textureSampleGrad(colours_1, plain_0, coordinates, ddx, ddy); }
// CHECK-NEXT: default: { return textureSampleGrad(colours_2, plain_0, coordinates, ddx, ddy); }
// CHECK: fn sample_colours(sampler_index: u32, coordinates: vec2f) -> vec4f {
// CHECK-NEXT: switch sampler_index {
// CHECK-NEXT: case 0u: { return textureSample(colours_1, plain_0, coordinates); }
// CHECK-NEXT: default: { return textureSample(colours_1, plain_1, coordinates); }
float4 main(float2 uv : UV, nointerpolation uint i : I) : SV_Target {
  // CHECK: sample_grad_colours(I, UV, dpdx(UV), dpdy(UV)) + sample_colours(I, UV) + sample_colours(I - I, UV + 1.0f)
  float4 a = colours[NonUniformResourceIndex(i)].Sample(plain[0], uv);
  return a + colours[1].Sample(plain[i], uv) + colours[1].Sample(plain[i - i], uv + 1);
}
