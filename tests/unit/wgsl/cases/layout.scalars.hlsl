// RUN: -T vs_6_0 -E main
// A vector that is not aligned as WGSL wants it is its components.
cbuffer Object {
  float scale;
  float3 offset;
  float4x4 world;
};
struct Push { float weight; float2 shift; };
[[vk::push_constant]] Push push;

// CHECK: struct PushConstant_Push {
// CHECK-NEXT: weight: f32,
// CHECK-NEXT: shift_x: f32,
// CHECK-NEXT: shift_y: f32,
// CHECK: struct Object_block {
// CHECK-NEXT: scale: f32,
// CHECK-NEXT: offset_x: f32,
// CHECK-NEXT: offset_y: f32,
// CHECK-NEXT: offset_z: f32,
// CHECK-NEXT: world: mat4x4f,
// CHECK-NEXT: }
// CHECK: var<immediate> push
float4 main(float3 p : P, uint i : I) : SV_Position {
  // CHECK-DAG: vec3f(Object.offset_x, Object.offset_y, Object.offset_z)
  // CHECK-DAG: push.shift_y
  // CHECK-DAG: vec3f(Object.offset_x, Object.offset_y, Object.offset_z)[{{.*}}]
  return mul(world, float4(p * scale + offset, 1)) * push.shift.y + offset[i];
}
