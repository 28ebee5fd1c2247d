// RUN: not -T cs_6_6 -E main -fcgl -fspv-use-descriptor-heap

[numthreads(1, 1, 1)] void main() {
// CHECK: error: -fspv-use-descriptor-heap (SPV_EXT_descriptor_heap) is not supported yet
  RWStructuredBuffer<uint> b = ResourceDescriptorHeap[0];
  b[0] = 1;
}
