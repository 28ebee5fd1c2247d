// RUN: -T cs_6_0 -E main -fcgl

// The struct lies differently in the two buffers: two types, copied member by member.
// CHECK-DAG: OpMemberDecorate %type_ConstantBuffer_S 1 Offset 16
// CHECK-DAG: OpMemberDecorate %S 1 Offset 4
// CHECK: [[from:%[0-9]+]] = OpLoad %type_ConstantBuffer_S %c
// CHECK: [[a:%[0-9]+]] = OpCompositeExtract %float [[from]] 0
// CHECK: [[b:%[0-9]+]] = OpCompositeConstruct %_arr_float_uint_2_0
// CHECK: OpCompositeConstruct %S [[a]] [[b]]
struct S { float a; float b[2]; };
ConstantBuffer<S> c;
RWStructuredBuffer<S> s;
[numthreads(1, 1, 1)] void main() { s[0] = c; }
