// RUN: -T ps_6_0 -E main
// An index that is computed selects the case of a switch.  Where it may differ between neighbours, the derivatives are
// taken before.
Texture2D colours[3] : register(t0);
SamplerState plain[2] : register(s5);

// CHECK: diagnostic(off, derivative_uniformity);
// CHECK: @group(0) @binding(0) var colours_0: texture_2d<f32>;
// CHECK: @group(0) @binding(700) var colours_1: texture_2d<f32>;
// CHECK: @group(0) @binding(701) var colours_2: texture_2d<f32>;
// CHECK: @group(0) @binding(5) var plain_0: sampler;
// CHECK: @group(0) @binding(702) var plain_1: sampler;
float4 main(float2 uv : UV, nointerpolation uint i : I) : SV_Target {
  // CHECK: let [[X:v[0-9]+]] = dpdx(UV);
  // CHECK-NEXT: let [[Y:v[0-9]+]] = dpdy(UV);
  // CHECK-NEXT: var [[A:v[0-9]+]]: vec4f;
  // CHECK-NEXT: switch I {
  // CHECK-NEXT: case 0u: {
  // CHECK-NEXT: [[A]] = textureSampleGrad(colours_0, plain_0, UV, [[X]], [[Y]]);
  // CHECK: case 1u: {
  // CHECK-NEXT: [[A]] = textureSampleGrad(colours_1, plain_0, UV, [[X]], [[Y]]);
  // CHECK: default: {
  // CHECK-NEXT: [[A]] = textureSampleGrad(colours_2, plain_0, UV, [[X]], [[Y]]);
  float4 a = colours[NonUniformResourceIndex(i)].Sample(plain[0], uv);
  // CHECK: case 0u: {
  // CHECK-NEXT: = textureSample(colours_1, plain_0, UV);
  // CHECK: default: {
  // CHECK-NEXT: = textureSample(colours_1, plain_1, UV);
  return a + colours[1].Sample(plain[i], uv);
}
