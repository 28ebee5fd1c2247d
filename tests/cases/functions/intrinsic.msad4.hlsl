// A finished module takes the bytes that follow, as Direct3D specifies; -fcgl has DXC's shift to the left.
// RUN: -T cs_6_0 -E main
// RUN: -T cs_6_0 -E main -fcgl --check-prefix=CODEGEN

// CHECK-NOT: OpShiftLeftLogical
// CHECK: [[low:%[0-9]+]] = OpShiftRightLogical %uint {{%[0-9]+}} %uint_8
// CHECK: OpBitFieldInsert %uint [[low]] {{%[0-9]+}} %uint_24 %uint_8
// CODEGEN: [[low:%[0-9]+]] = OpShiftLeftLogical %uint {{%[0-9]+}} %uint_8
// CODEGEN: OpBitFieldInsert %uint [[low]] {{%[0-9]+}} %uint_24 %uint_8
RWStructuredBuffer<uint4> o;
[numthreads(1, 1, 1)] void main() { o[0] = msad4(o[1].x, o[1].yz, o[2]); }
