// RUN: -T cs_6_0 -E main
// A barrier that only orders memory is one that waits, where all invocations reach it together.
RWStructuredBuffer<uint> data;
groupshared uint shared_data[64];

[numthreads(64, 1, 1)]
void main(uint i : SV_GroupIndex) {
  // CHECK: shared_data[local_invocation_index] = local_invocation_index;
  shared_data[i] = i;
  // CHECK-NEXT: workgroupBarrier();
  GroupMemoryBarrier();
  // CHECK: storageBarrier();
  DeviceMemoryBarrier();
  data[i] = shared_data[i ^ 1];
}
