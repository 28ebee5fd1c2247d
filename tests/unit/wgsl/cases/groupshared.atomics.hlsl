// RUN: -T cs_6_0 -E main
// What atomics work on is declared so; other accesses to it are atomic, too.
groupshared uint count[4];
groupshared float other;
RWByteAddressBuffer bytes;

// CHECK: var<workgroup> count: array<atomic<u32>, 4>;
// CHECK: var<storage, read_write> bytes: array<atomic<u32>>;
[numthreads(4, 1, 1)]
void main(uint i : SV_GroupIndex) {
  // CHECK: atomicStore(&count[{{\w+}}], 0u);
  count[i] = 0;
  // CHECK: workgroupBarrier();
  GroupMemoryBarrierWithGroupSync();
  uint before;
  // CHECK: let {{\w+}} = atomicAdd(&count[{{.*}}], 2u);
  InterlockedAdd(count[i & 1], 2, before);
  bytes.Store(0, before);
  // CHECK: atomicMax(&bytes[
  bytes.InterlockedMax(4, before);
  GroupMemoryBarrierWithGroupSync();
  // CHECK: atomicLoad(&count[
  bytes.Store(8, count[i]);
}
