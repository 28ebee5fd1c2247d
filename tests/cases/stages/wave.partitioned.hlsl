// RUN: -T cs_6_5 -E main -fspv-target-env=vulkan1.1 -fcgl
// RUN: -T cs_6_5 -E main -fspv-target-env=vulkan1.1 --check-prefix=FINAL
// RUN: not -T cs_6_5 -E main --check-prefix=OLD

// FINAL: OpCapability GroupNonUniformPartitioned
// FINAL: OpExtension "SPV_NV_shader_subgroup_partitioned"
// OLD: Vulkan 1.1 is required for Wave Operation but not permitted to use

RWStructuredBuffer<uint4> o;

[numthreads(8, 1, 1)] void main(uint t : SV_GroupIndex) {
// CHECK: [[mask:%[0-9]+]] = OpGroupNonUniformPartition{{NV|EXT}} %v4uint
    uint4 same = WaveMatch(t / 3);
// CHECK: OpGroupNonUniformIAdd %uint %uint_3 PartitionedExclusiveScan{{NV|EXT}}
    uint sum = WaveMultiPrefixSum(t, same);
// CHECK: OpGroupNonUniformIMul %uint %uint_3 PartitionedExclusiveScan{{NV|EXT}}
    uint product = WaveMultiPrefixProduct(t, same);
// CHECK: OpGroupNonUniformBitwiseOr %uint %uint_3 PartitionedExclusiveScan{{NV|EXT}}
    uint bits = WaveMultiPrefixBitOr(t, same);
    o[t] = uint4(sum, product, bits, same.x);
}
