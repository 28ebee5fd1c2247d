// RUN: -T ps_6_0 -E main -O0
// Parameters that a function does not change for its caller are values, and so are variables that are assigned once.
static const float HALF = 0.5;
float4 tint;

float square(float x) { return x * x; }
float halved(float x) { x *= HALF; return x; }
void both(in float x, inout float sum) { sum += x; }

// CHECK: const HALF: f32 = 0.5f;
// CHECK: fn square(x: f32) -> f32 {
// CHECK-NEXT: return x * x;
// CHECK: fn halved(x_in: f32) -> f32 {
// CHECK-NEXT: var x = x_in;
// CHECK-NEXT: x *= HALF;
// CHECK: fn both(x: f32, sum: ptr<function, f32>) {
// CHECK-NEXT: (*sum) += x;
// CHECK: fn main(@location(0) uv: vec2f) -> @location(0) vec4f {
// CHECK-NEXT: var sum = square(uv.x);
// CHECK-NEXT: let twice = halved(uv.y);
// CHECK-NEXT: both(twice, &sum);
// CHECK-NEXT: return select(Globals.tint, Globals.tint * twice, (twice > 0.25f && sum < 1.0f));
float4 main(float2 uv : UV) : SV_Target {
  float sum = square(uv.x);
  float twice = halved(uv.y);
  both(twice, sum);
  return twice > 0.25 && sum < 1 ? tint * twice : tint;
}
