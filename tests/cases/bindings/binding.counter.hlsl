// RUN: -T cs_6_0 -E main -fcgl

// CHECK-DAG: OpDecorate %o DescriptorSet 1
// CHECK-DAG: OpDecorate %o Binding 4
// CHECK-DAG: OpDecorate %counter_var_o DescriptorSet 1
// CHECK-DAG: OpDecorate %counter_var_o Binding 9
// CHECK: OpAtomicIAdd %int {{%[0-9]+}} %uint_1 %uint_0 %int_1
[[vk::binding(4, 1), vk::counter_binding(9)]] RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)] void main() { o[o.IncrementCounter()] = 1; }
