// RUN: -T cs_6_8 -E main -fspv-target-env=vulkan1.3 -fcgl intrinsics.barrier.flags.hlsl
// RUN: -T cs_6_8 -E main -fspv-target-env=vulkan1.3 intrinsics.barrier.flags.hlsl --check-prefix=EXACT
// RUN: -T cs_6_8 -E object -fspv-target-env=vulkan1.1 intrinsics.barrier.flags.hlsl --check-prefix=OBJECT
// RUN: not -T cs_6_8 -E variable -fspv-target-env=vulkan1.3 -fcgl intrinsics.barrier.flags.hlsl --check-prefix=VARIABLE
// RUN: not -T cs_6_8 -E output -fspv-target-env=vulkan1.2 -fcgl intrinsics.barrier.flags.hlsl --check-prefix=OUTPUT

RWBuffer<uint> result;
uint flags;

// Without -fcgl a UAV is also an image (0x800), and a barrier without a scope is none.
// EXACT: OpControlBarrier %uint_2 %uint_2 %uint_264
// EXACT-NEXT: OpMemoryBarrier %uint_1 %uint_2120
// EXACT-NEXT: OpMemoryBarrier %uint_2 %uint_2376
// EXACT-NEXT: OpControlBarrier %uint_2 %uint_2 %uint_0
// EXACT-NEXT: OpReturn
// Memory: 0x40 buffers and images, 0x100 of the group, 0x1000 node outputs; 8 acquires and releases.
[numthreads(64, 1, 1)]
void main() {
// CHECK: OpControlBarrier %uint_2 %uint_2 %uint_264
  Barrier(GROUP_SHARED_MEMORY, GROUP_SCOPE | GROUP_SYNC);
// CHECK-NEXT: OpMemoryBarrier %uint_1 %uint_72
  Barrier(UAV_MEMORY, DEVICE_SCOPE);
// CHECK-NEXT: OpMemoryBarrier %uint_2 %uint_328
  Barrier(UAV_MEMORY | GROUP_SHARED_MEMORY, GROUP_SCOPE);
// CHECK-NEXT: OpMemoryBarrier %uint_4 %uint_72
  Barrier(UAV_MEMORY, 0);
// CHECK-NEXT: OpControlBarrier %uint_2 %uint_4
  Barrier(0, GROUP_SYNC);
// CHECK-NEXT: OpReturn
  Barrier(0, 0);
}

// OBJECT: OpMemoryBarrier %uint_1 %uint_2120
[numthreads(1, 1, 1)]
void object() {
  result[0] = 1;
  Barrier(result, DEVICE_SCOPE);
}

[numthreads(1, 1, 1)]
void variable() {
// VARIABLE: Barrier arguments must be non-negative integer constants
  Barrier(flags, 1);
}

[numthreads(1, 1, 1)]
void output() {
// OUTPUT: NODE_INPUT_MEMORY or NODE_OUTPUT_MEMORY may only be specified for Barrier operation in a node shader
  Barrier(NODE_OUTPUT_MEMORY, DEVICE_SCOPE);
}
