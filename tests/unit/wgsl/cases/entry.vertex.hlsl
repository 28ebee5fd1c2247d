// RUN: -T vs_6_0 -E main
// Inputs are parameters, outputs the members of a result; integers are flat, and there is always a position.
struct Output {
  nointerpolation float2 uv : UV;
  int material : MATERIAL;
  noperspective float depth : DEPTH;
};

// CHECK: struct main_output {
// CHECK-NEXT: @location(0) @interpolate(flat) UV: vec2f,
// CHECK-NEXT: @location(1) @interpolate(flat) MATERIAL: i32,
// CHECK-NEXT: @location(2) @interpolate(linear) DEPTH: f32,
// CHECK-NEXT: @builtin(position) position: vec4f,
// CHECK: @vertex
// CHECK-NEXT: fn main(@location(0) UV: vec2f, @builtin(vertex_index) vertex_index: u32) -> main_output {
Output main(float2 uv : UV, uint index : SV_VertexID) {
  Output o;
  o.uv = uv;
  o.material = int(index);
  o.depth = 0.5;
  // CHECK: return main_output({{.*}}, vec4f());
  return o;
}
