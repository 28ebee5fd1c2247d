// RUN: -T ps_6_0 -E main -fcgl
// RUN: -T ps_6_0 -E main -fcgl -fvk-b-shift 10 0 -fvk-t-shift 20 all -fvk-s-shift 40 1 --check-prefix=SHIFT

// CHECK-DAG: OpDecorate %b DescriptorSet 0
// CHECK-DAG: OpDecorate %b Binding 3
// CHECK-DAG: OpDecorate %t DescriptorSet 2
// CHECK-DAG: OpDecorate %t Binding 4
// CHECK-DAG: OpDecorate %s DescriptorSet 1
// CHECK-DAG: OpDecorate %s Binding 5
// SHIFT-DAG: OpDecorate %b Binding 13
// SHIFT-DAG: OpDecorate %t Binding 24
// SHIFT-DAG: OpDecorate %s Binding 45
struct B { float4 x; };
ConstantBuffer<B> b : register(b3);
Texture2D t : register(t4, space2);
SamplerState s : register(s5, space1);
float4 main(float2 uv : UV) : SV_Target { return t.Sample(s, uv) * b.x; }
