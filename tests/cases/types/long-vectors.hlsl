// RUN: -T cs_6_9 -E main -fspv-target-env=vulkan1.3 long-vectors.hlsl
// RUN: -T cs_6_9 -E main -fspv-target-env=vulkan1.0 long-vectors.hlsl
// RUN: -T cs_6_9 -E main -fspv-target-env=vulkan1.3 -O0 -fspv-debug=vulkan-with-source long-vectors.hlsl --check-prefix=DEBUG
// RUN: -T cs_6_9 -E main -fspv-target-env=vulkan1.3 -fspv-extension=SPV_EXT_long_vector -Vd long-vectors.hlsl --check-prefix=NATIVE
// RUN: -T cs_6_9 -E main -fspv-target-env=vulkan1.3 -fspv-extension=SPV_EXT_long_vector -fcgl -Vd long-vectors.hlsl --check-prefix=NATIVE
// RUN: not -T cs_6_8 -E main long-vectors.hlsl --check-prefix=MODEL

// In memory a long vector is an array of its components, without gaps.
// CHECK-DAG: OpMemberDecorate %S 1 Offset 4
// CHECK-DAG: OpDecorate {{%\w+}} ArrayStride 4
// CHECK-DAG: OpDecorate {{%\w+}} ArrayStride 36
// CHECK-NOT: OpTypeVector {{%\w+}} 8
// CHECK: OpFMul %float
// CHECK-NOT: OpTypeVector {{%\w+}} 8
// DEBUG: DebugTypeArray
// NATIVE: OpCapability LongVectorEXT
// NATIVE: OpExtension "SPV_EXT_long_vector"
// NATIVE: [[V:%\w+]] = OpTypeVectorIdEXT %float %uint_8
// NATIVE: OpFMul [[V]]
// MODEL: error: invalid value, valid range is between 1 and 4 inclusive
struct S { int number; vector<float, 8> v; };
RWStructuredBuffer<S> buffer;
[numthreads(1, 1, 1)]
void main() {
  S s = buffer[0];
  s.v = s.v * s.v;
  buffer[1] = s;
}
