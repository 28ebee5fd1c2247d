// RUN: -T lib_6_9 -fspv-target-env=vulkan1.3 intrinsics.barrier.reorder.hlsl

reordercoherent RWStructuredBuffer<uint> values;

// CHECK: OpDecorate %values Coherent
[shader("raygeneration")] void main() {
  values[0] = 1;
// CHECK:      OpStore {{%\w+}} %uint_1
// CHECK-NEXT: OpMemoryBarrier %uint_1 %uint_72
  Barrier(UAV_MEMORY, REORDER_SCOPE);
// CHECK:      OpStore {{%\w+}}
  values[1] = values[0];
}
