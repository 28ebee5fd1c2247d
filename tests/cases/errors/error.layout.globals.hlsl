// RUN: not -T ps_6_0 -E main

// CHECK: error: 'offset' attribute only applies to fields
// CHECK-NEXT: vk::offset(32)
[[vk::offset(32)]] float placed;
float4 main() : SV_Target { return placed; }
