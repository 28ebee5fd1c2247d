// RUN: -T ps_6_0 -E main -fcgl

// CHECK: OpMemberDecorate %type_C 0 Offset 0
// CHECK: OpMemberDecorate %type_C 1 Offset 20
// CHECK: OpMemberDecorate %type_C 2 Offset 48
cbuffer C { float4 a : packoffset(c0); float2 b : packoffset(c1.y); float c : packoffset(c3); };
float4 main() : SV_Target { return a + b.xyxy + c; }
