// RUN: -T ps_6_0 -E main -fcgl
// RUN: -T ps_6_0 -E main -fcgl -fvk-use-scalar-layout

// vk::offset wins over packoffset; a member that says nothing follows the one before it.
// CHECK: OpMemberDecorate %type_C 0 Offset 16
// CHECK: OpMemberDecorate %type_C 1 Offset 96
// CHECK: OpMemberDecorate %type_C 2 Offset 104

// A struct's vk::offset holds wherever the struct lies.
// CHECK-DAG: OpMemberDecorate %S 0 Offset 8
// CHECK-DAG: OpMemberDecorate %S 1 Offset 12
// CHECK-DAG: OpMemberDecorate %type_ConstantBuffer_S 0 Offset 8
// CHECK-DAG: OpMemberDecorate %type_ConstantBuffer_S 1 Offset 12

// register(c#) counts in 16 bytes; what has none comes behind the last that has one, in order of declaration.
// CHECK: OpMemberDecorate %type__Globals 0 Offset 52
// CHECK: OpMemberDecorate %type__Globals 1 Offset 48
// CHECK: OpMemberDecorate %type__Globals 2 Offset 56
// CHECK: OpMemberDecorate %type__Globals 3 Offset 16
cbuffer C { float a : packoffset(c1); [[vk::offset(96)]] float2 b : packoffset(c4); float d : packoffset(c6.z); };
struct S { [[vk::offset(8)]] float x; float y; };
ConstantBuffer<S> s;
StructuredBuffer<S> t;
float loose;
float late : register(c3);
float looser;
float early : register(c1);
float4 main() : SV_Target { return a + b.x + d + s.x + t[1].y + loose + late + looser + early; }
