// RUN: -T cs_6_0 -E main
// Equal operations on specialisation constants are one in the optimised module.

// CHECK: = OpSpecConstantOp %uint IMul %size %uint_2
// CHECK-NOT: OpSpecConstantOp %uint IMul
// CHECK: OpFunctionEnd
[[vk::constant_id(0)]] const uint size = 4;
RWStructuredBuffer<uint> o;
[numthreads(1, 1, 1)] void main() { o[0] = size * 2; o[1] = size * 2; }
