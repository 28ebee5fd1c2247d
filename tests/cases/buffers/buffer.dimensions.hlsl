// RUN: -T cs_6_0 -E main -fcgl
// RUN: -T cs_6_0 -E main -fcgl -fvk-use-dx-layout --check-prefix=DX

// The stride that GetDimensions returns is that of the array, also if vectors of three components are aligned to four.
StructuredBuffer<float3> vectors;
RWStructuredBuffer<uint> result;

// CHECK: OpDecorate %_runtimearr_v3float ArrayStride 16
// DX: OpDecorate %_runtimearr_v3float ArrayStride 12
[numthreads(1, 1, 1)] void main() {
  uint count, stride;
  vectors.GetDimensions(count, stride);
// CHECK: OpStore %stride %uint_16
// DX: OpStore %stride %uint_12
  result[0] = stride;
}
