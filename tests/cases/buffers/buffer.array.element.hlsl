// RUN: -T cs_6_0 -E main -fcgl
// RUN: -T cs_6_0 -E main -O3 --check-prefix=LEGAL

// A chain of its own begins at a buffer, also at an element of an array of buffers; its index is evaluated once.
// CHECK: [[i:%[0-9]+]] = OpLoad %int %i
// CHECK-NEXT: [[next:%[0-9]+]] = OpIAdd %int [[i]] %int_1
// CHECK-NEXT: OpStore %i [[next]]
// CHECK-NEXT: [[buffer:%[0-9]+]] = OpAccessChain %_ptr_Uniform_type_RWStructuredBuffer_uint %many [[i]]
// CHECK: OpAccessChain %_ptr_Uniform_uint [[buffer]] %int_0 %uint_2
// CHECK-NOT: OpIAdd
// LEGAL: OpAccessChain %_ptr_Uniform_uint %many %int_1 %int_0 %uint_2
RWStructuredBuffer<uint> many[3];
[numthreads(1, 1, 1)] void main() {
  int i = 1;
  many[i++][2] = 7;
}
