// RUN: -T ps_6_0 -E main -fcgl
// RUN: -T ps_6_0 -E main -fcgl -fvk-b-shift 10 0 -fvk-t-shift 20 all -fvk-s-shift 40 1 --check-prefix=SHIFT

// RUN: -T ps_6_0 -E main -fcgl -fvk-b-shift 10 0 -fvk-b-shift 50 0 --check-prefix=LAST
// RUN: -T cs_6_0 -E counted -fcgl -fvk-u-shift 70 0 -fvk-auto-shift-bindings --check-prefix=COUNTER
// LAST: OpDecorate %b Binding 53

// COUNTER-DAG: OpDecorate %append Binding 70
// COUNTER-DAG: OpDecorate %counter_var_append Binding 0
// COUNTER-DAG: OpDecorate %write Binding 71
AppendStructuredBuffer<int> append;
RWBuffer<int> write;
[numthreads(1, 1, 1)] void counted() { append.Append(write[0]); }

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
