// RUN: -T cs_6_0 -E main -O0
// Addresses that are constants are indices of words.
RWByteAddressBuffer bytes;

[numthreads(1, 1, 1)] void main(uint i : SV_GroupID) {
  // CHECK: atomicAdd(&bytes[3], 7u);
  bytes.InterlockedAdd(12, 7);
  switch (i) {
  // CHECK: case 1u, 2u: {
  case 1: case 2: bytes.Store(0, i); break;
  }
}
