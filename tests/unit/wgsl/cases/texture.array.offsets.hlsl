// RUN: -T ps_6_0 -E main
// Offsets are constants in WGSL: one function chooses the texture, a second one the offset by its number.
Texture2D<float> shadows[2] : register(t0);
SamplerComparisonState comparing : register(s5);

// CHECK: fn compare_level_shadows_with(texture: texture_depth_2d, coordinates: vec2f, reference: f32, offset: u32) -> f32 {
// CHECK-NEXT: switch offset {
// CHECK-NEXT: case 0u: { return textureSampleCompareLevel(texture, comparing, coordinates, reference, vec2i(-1i, 0i)); }
// CHECK-NEXT: case 1u: {{.*}} vec2i(0i)); }
// CHECK-NEXT: default: {{.*}} vec2i(1i, 0i)); }
// CHECK: fn compare_level_shadows(index: u32, coordinates: vec2f, reference: f32, offset: u32) -> f32 {
// CHECK: case 0u: { return compare_level_shadows_with(shadows_0, coordinates, reference, offset); }
float4 main(float2 uv : UV, nointerpolation uint i : I) : SV_Target {
  // CHECK: compare_level_shadows(I, UV, 0.5f, 0u) + compare_level_shadows(I, UV, 0.5f, 1u)
  return shadows[i].SampleCmpLevelZero(comparing, uv, 0.5, int2(-1, 0))
       + shadows[i].SampleCmpLevelZero(comparing, uv, 0.5, int2(0, 0))
       + shadows[i].SampleCmpLevelZero(comparing, uv, 0.5, int2(1, 0));
}
