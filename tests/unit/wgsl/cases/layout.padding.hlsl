// RUN: -T cs_6_2 -E main -enable-16bit-types
// Members of types that WGSL lacks are padding if nothing accesses them.
struct Wide { uint64_t address; float4 colour; uint16_t small; double exact; uint last; };
cbuffer C { Wide wide; };
RWStructuredBuffer<float4> result;

// CHECK: struct Wide {
// CHECK-NEXT: @size(16) padding: u32,
// CHECK-NEXT: @size(32) colour: vec4f,
// CHECK-NEXT: last: u32,
[numthreads(1, 1, 1)] void main() {
  // CHECK: result[C.wide.last] = C.wide.colour;
  result[wide.last] = wide.colour;
}
