// RUN: -T vs_6_0 -E main -fcgl

// CHECK-DAG: OpDecorate %in_var_A Location 5
// CHECK-DAG: OpDecorate %in_var_B Location 2
// CHECK-DAG: OpDecorate %out_var_C Location 7
[[vk::location(7)]] float4 main([[vk::location(5)]] float4 a : A, [[vk::location(2)]] float4 b : B) : C { return a + b; }
