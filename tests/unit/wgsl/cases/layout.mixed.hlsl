// RUN: -T vs_6_0 -E main -fvk-use-dx-layout
// A number in the last row of a matrix: WGSL has no place for it, so both are words between members as usual.
cbuffer Object {
  float4x4 world;
  float3x3 normals;
  uint material;
  float4 colours[4];
};

// CHECK: struct Object_block {
// CHECK-NEXT: world: mat4x4f,
// CHECK-NEXT: words: array<vec4u, 3>,
// CHECK-NEXT: colours: array<vec4f, 4>,
// CHECK-NEXT: }
float4 main(float3 n : NORMAL) : SV_Position {
  // CHECK-DAG: Object.words[2].w
  // CHECK-DAG: Object.colours[
  // CHECK-DAG: bitcast<f32>(Object.words[0].x)
  return mul(world, float4(mul(normals, n), 1)) * colours[material];
}
