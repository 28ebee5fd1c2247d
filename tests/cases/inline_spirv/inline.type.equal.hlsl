// RUN: -T cs_6_0 -E main -HV 2021
// RUN: -T cs_6_0 -E main -HV 2021 -O0
// Inline types that the module has anyway are not declared twice.

// CHECK: %uint = OpTypeInt 32 0
// CHECK-NOT: OpTypeInt 32 0
// CHECK: OpFunctionEnd
RWStructuredBuffer<uint> o;
typedef vk::SpirvType<21, 4, 32, vk::Literal<vk::integral_constant<uint, 32> >, vk::Literal<vk::integral_constant<uint, 0> > > U;
typedef vk::SpirvType<21, 4, 32, vk::Literal<vk::integral_constant<uint, 32> >, vk::Literal<vk::integral_constant<int, 0> > > V;
[[vk::ext_instruction(83)]] uint copied(U x);
[[vk::ext_instruction(83)]] uint copied(V x);
[[vk::ext_instruction(83)]] U made(uint x);
[numthreads(1, 1, 1)] void main() {
    U a = made(o[1]);
    V b;
    o[0] = copied(a) + copied(b);
}
