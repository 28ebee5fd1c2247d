// RUN: -T ps_6_7 -E main -fspv-target-env=vulkan1.1
// Votes of a quad swap values with the three other lanes.
// CHECK: enable subgroups;
float4 main(float4 p : P) : SV_Target {
  // CHECK: quadSwapX(
  return QuadAny(p.x > 0) ? 1 : QuadAll(p.y > 0) ? 0.5 : 0;
}
