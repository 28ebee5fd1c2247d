// RUN: not -T ps_6_0 -E main

// CHECK: error: packoffset is only allowed in a constant buffer
// CHECK-NEXT: float packed : packoffset(c2);
// CHECK: error: 'offset' attribute only applies to fields
// CHECK-NEXT: vk::offset(32)
float packed : packoffset(c2);
[[vk::offset(32)]] float placed;
float4 main() : SV_Target { return packed + placed; }
