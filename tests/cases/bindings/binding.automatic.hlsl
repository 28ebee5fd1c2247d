// RUN: -T ps_6_0 -E main -fcgl

// What says nothing gets what is left, in order of declaration.
// CHECK-DAG: OpDecorate %a Binding 0
// CHECK-DAG: OpDecorate %b Binding 1
// CHECK-DAG: OpDecorate %c Binding 3
// CHECK-DAG: OpDecorate %d Binding 2
// CHECK-DAG: OpDecorate %d DescriptorSet 0
Texture2D a;
[[vk::binding(1)]] Texture2D b;
SamplerState c;
Texture2D d : register(t2);
float4 main(float2 uv : UV) : SV_Target { return a.Sample(c, uv) + b.Sample(c, uv) + d.Sample(c, uv); }
