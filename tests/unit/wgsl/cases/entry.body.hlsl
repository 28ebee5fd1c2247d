// RUN: -T ps_6_0 -E main -O0
// The entry point has the body of the function that it alone calls; each return has the outputs.
struct Input { float4 place : SV_Position; float2 uv : UV; nointerpolation uint id : ID; };
struct Colours { float4 first : SV_Target0; float4 second : SV_Target1; };

// CHECK-NOT: main_inner
// CHECK: fn main(@builtin(position) {{.*}}, @builtin(front_facing) front: bool) -> main_output {
// CHECK-NEXT: let input = Input(position, UV, ID);
// CHECK-NEXT: var o: Colours;
Colours main(Input input, bool front : SV_IsFrontFace) {
  Colours o;
  o.first = input.uv.xyxy;
  o.second = input.place;
  // CHECK: if input.id == 3u {
  // CHECK-NEXT: o.first = vec4f(1.0f);
  // CHECK-NEXT: return main_output(o.first, o.second);
  if (input.id == 3) { o.first = 1; return o; }
  // CHECK: for (var k = 0u;
  // CHECK: if o.first.x > 5.0f {
  // CHECK-NEXT: return main_output(o.first, o.second);
  for (uint k = 0; k < input.id; k++) { o.first += k; if (o.first.x > 5) return o; }
  // CHECK: discard;
  if (!front) discard;
  // CHECK: return main_output(o.first, o.second);
  return o;
}
