// RUN: -T ps_6_0 -E main -fcgl -fspv-target-env=vulkan1.1

// CHECK: OpDecorate %SubgroupSize BuiltIn SubgroupSize
// CHECK: OpDecorate %SubgroupSize Flat
// CHECK: OpDecorate %SubgroupLocalInvocationId BuiltIn SubgroupLocalInvocationId
// CHECK: OpDecorate %SubgroupLocalInvocationId Flat
// CHECK-NOT: Flat
float4 main() : SV_Target {
  return WaveGetLaneCount() + WaveGetLaneIndex() + WaveGetLaneCount();
}
