// RUN: -T cs_6_0 -E main -O0
// Scalars in place of splats, saturate, shifts by known distances, signed indices, chains and swizzles.
StructuredBuffer<float4> source;
RWStructuredBuffer<float4> o;
RWStructuredBuffer<int2> counts;
// CHECK: fn count(i: u32) {
// CHECK-NEXT: counts[i] += vec2i(1i);
// CHECK-NEXT: counts[i] *= 3i;
// CHECK-NEXT: counts[i].x++;
void count(uint i) { counts[i] += 1; counts[i] *= 3; counts[i].x += 1; }
// CHECK: fn swapped(v: vec4f, i: i32) -> vec4f {
// CHECK-NEXT: return vec4f(v.zy, source[i].x, 1.0f);
float4 swapped(float4 v, int i) { return float4(float(v.z), float(v.y), source[i].x, 1); }
// CHECK: fn mixed(a: vec3f, b: vec3f, t: f32) -> vec3f {
// CHECK-NEXT: return mix(saturate(a * 2.0f + b.x), b, t) - 0.5f;
float3 mixed(float3 a, float3 b, float t) { return lerp(saturate(a * 2 + b.x), b, t) - 0.5; }
// CHECK: fn bits(x: u32, a: bool, b: bool, c: bool) -> u32 {
// CHECK: if a || b || c {
// CHECK: ternary = x | (x << 3u) | (x >> 16u);
uint bits(uint x, bool a, bool b, bool c) { return or(or(a, b), c) ? 1 : x | x << 3 | x >> 16; }
[numthreads(4, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  count(id.x);
  float4 v = source[id.x];
  o[id.x] = swapped(v, int(id.y)) + float4(mixed(v.xyz, v.yzw, v.w), bits(id.x, v.x > 1, v.y > 2, v.z > 3));
}
