// A reduction beside a ballot needs no partitioned operations, a capability of one vendor, at any level.
// RUN: -T cs_6_5 -E main -fspv-target-env=vulkan1.2
// RUN: -T cs_6_5 -E main -fspv-target-env=vulkan1.2 -O0
// RUN: -T cs_6_5 -E main -fspv-target-env=vulkan1.2 -Od
// RUN: -T cs_6_5 -E main -fspv-target-env=vulkan1.2 -fspv-use-vulkan-memory-model
// RUN: -T cs_6_5 -E both -fspv-target-env=vulkan1.2 --check-prefix=BOTH
// RUN: -T lib_6_5 -fspv-target-env=vulkan1.2 --check-prefix=LIBRARY

// CHECK-NOT: PartitionedNV
// CHECK: OpCapability GroupNonUniformArithmetic
// CHECK-NEXT: OpCapability GroupNonUniformBallot
// CHECK-NOT: partitioned

// BOTH-DAG: OpCapability GroupNonUniformPartitioned
// BOTH-DAG: OpCapability GroupNonUniformArithmetic
// BOTH: OpExtension "SPV_NV_shader_subgroup_partitioned"

RWByteAddressBuffer o;
[numthreads(32, 1, 1)] void main(uint i : SV_GroupIndex)
{
    o.Store(0, WaveReadLaneFirst(WaveActiveSum(i)));
    o.Store(4 + 4 * i, WavePrefixProduct(i));
}
[numthreads(32, 1, 1)] void both(uint i : SV_GroupIndex)
{
    o.Store(0, WaveReadLaneFirst(WaveActiveSum(i)));
    o.Store(4 + 4 * i, WaveMultiPrefixSum(i, WaveMatch(i & 1)));
}

// LIBRARY-NOT: Partitioned
// LIBRARY: OpCapability Linkage
// LIBRARY-NOT: Partitioned
export uint total(uint i) { return WaveReadLaneFirst(WaveActiveSum(i)); }
