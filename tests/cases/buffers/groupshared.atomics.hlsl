// RUN: -T cs_6_0 -E main -fcgl

// CHECK: %sum = OpVariable %_ptr_Workgroup_uint Workgroup
// CHECK: OpAtomicIAdd %uint %sum %uint_2 %uint_0
// CHECK: OpAtomicUMax %uint {{%[0-9]+}} %uint_1 %uint_0
// CHECK: OpControlBarrier %uint_2 %uint_2 %uint_264
groupshared uint sum;
RWStructuredBuffer<uint> o;
[numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) {
    InterlockedAdd(sum, i);
    InterlockedMax(o[0], i);
    GroupMemoryBarrierWithGroupSync();
}
