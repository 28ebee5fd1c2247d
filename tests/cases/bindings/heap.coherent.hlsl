// RUN: -T cs_6_6 -E main -fcgl

// An array of its own for the coherent ones: of a variable, and of what a function gives.
// CHECK: OpDecorate [[a:%[a-zA-Z0-9_]+]] Coherent
// CHECK: OpDecorate [[b:%[a-zA-Z0-9_]+]] Coherent
// CHECK-NOT: Coherent
// CHECK-DAG: [[a]] = OpVariable %_ptr_Uniform__runtimearr_type_RWStructuredBuffer_uint Uniform
// CHECK-DAG: [[b]] = OpVariable %_ptr_Uniform__runtimearr_type_RWByteAddressBuffer Uniform
globallycoherent static RWStructuredBuffer<uint> a = ResourceDescriptorHeap[0];
globallycoherent RWByteAddressBuffer get(uint i) { return ResourceDescriptorHeap[i]; }

[numthreads(1, 1, 1)] void main() {
  RWStructuredBuffer<uint> plain = ResourceDescriptorHeap[1];
  plain[0] = a[0];
  RWByteAddressBuffer b = get(2);
  b.Store(0, plain[1]);
}
