// RUN: -T ps_6_0 -E main
// CHECK-NOT: blend_src
// CHECK: -> @location(0) vec4f
[[vk::location(0), vk::index(0)]] float4 main(float4 p : P) : SV_Target { return p; }
