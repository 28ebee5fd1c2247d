// RUN: -T cs_6_7 -E main -fcgl -fspv-target-env=vulkan1.1
// RUN: -T cs_6_7 -E main -fcgl -fspv-target-env=vulkan1.1 -fspv-extension=SPV_KHR_compute_shader_derivatives --check-prefix=SWAPS

// A row of threads makes quads of four in a row.
// CHECK: OpCapability QuadControlKHR
// CHECK: OpExtension "SPV_KHR_quad_control"
// CHECK: OpExecutionMode %main DerivativeGroupLinearKHR
// CHECK: OpGroupNonUniformQuadAnyKHR %bool
// CHECK: OpGroupNonUniformQuadAllKHR %bool
// SWAPS: OpExecutionMode %main DerivativeGroupLinearKHR
// SWAPS: [[x:%[0-9]+]] = OpIEqual %bool
// SWAPS-NEXT: [[a:%[0-9]+]] = OpGroupNonUniformQuadSwap %bool %uint_3 [[x]] %uint_0
// SWAPS-NEXT: [[xa:%[0-9]+]] = OpLogicalOr %bool [[x]] [[a]]
// SWAPS-NEXT: [[b:%[0-9]+]] = OpGroupNonUniformQuadSwap %bool %uint_3 [[x]] %uint_1
// SWAPS-NEXT: [[xb:%[0-9]+]] = OpLogicalOr %bool [[xa]] [[b]]
// SWAPS-NEXT: [[c:%[0-9]+]] = OpGroupNonUniformQuadSwap %bool %uint_3 [[x]] %uint_2
// SWAPS-NEXT: OpLogicalOr %bool [[xb]] [[c]]
RWStructuredBuffer<uint> o;
[numthreads(8, 1, 1)] void main(uint i : SV_DispatchThreadID) {
  o[i] = QuadAny(i == 3) ? 1 : 2;
  o[i] += QuadAll(i == 4) ? 3 : 4;
}
