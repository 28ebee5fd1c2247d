// RUN: -T cs_6_0 -E main -fcgl

// The struct lies differently in the two buffers: taken out of one into the type without layout, scalar by scalar, and
// from that into the type of the other, member by member.
// CHECK-DAG: OpMemberDecorate %type_ConstantBuffer_S 1 Offset 16
// CHECK-DAG: OpMemberDecorate %S 1 Offset 4
// CHECK: [[from:%[0-9]+]] = OpLoad %type_ConstantBuffer_S %c
// CHECK: [[a:%[0-9]+]] = OpCompositeExtract %float [[from]] 0
// CHECK: [[b:%[0-9]+]] = OpCompositeConstruct %_arr_float_uint_2_1
// CHECK: [[plain:%[0-9]+]] = OpCompositeConstruct %S_0 [[a]] [[b]]
// CHECK: [[x:%[0-9]+]] = OpCompositeExtract %float [[plain]] 0
// CHECK: OpCompositeConstruct %S [[x]]
struct S { float a; float b[2]; };
ConstantBuffer<S> c;
RWStructuredBuffer<S> s;
[numthreads(1, 1, 1)] void main() { s[0] = c; }
