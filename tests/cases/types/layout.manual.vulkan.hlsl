// RUN: -T ps_6_0 -E main -fcgl
// RUN: -T ps_6_0 -E main -fcgl -fvk-use-gl-layout --check-prefix=GL
// RUN: -T ps_6_0 -E main -fcgl -fvk-use-dx-layout --check-prefix=DX
// RUN: -T ps_6_0 -E main -fcgl -fvk-use-scalar-layout --check-prefix=SCALAR

//              a  b(vec3)  c[2]: a slot of 16 each, or 4   d(vec2)
// vulkan       0  4        16 .. 48                        48
// gl           0  16       32 .. 64                        64
// dx           0  4        16 .. 36 (the last not padded)  40
// scalar       0  4        16 .. 24                        24
// CHECK-DAG: OpMemberDecorate %type_C 1 Offset 4
// CHECK-DAG: OpMemberDecorate %type_C 2 Offset 16
// CHECK-DAG: OpMemberDecorate %type_C 3 Offset 48
// CHECK-DAG: OpDecorate %_arr_float_uint_2 ArrayStride 16
// GL-DAG: OpMemberDecorate %type_C 1 Offset 16
// GL-DAG: OpMemberDecorate %type_C 2 Offset 32
// GL-DAG: OpMemberDecorate %type_C 3 Offset 64
// DX-DAG: OpMemberDecorate %type_C 1 Offset 4
// DX-DAG: OpMemberDecorate %type_C 2 Offset 16
// DX-DAG: OpMemberDecorate %type_C 3 Offset 36
// SCALAR-DAG: OpMemberDecorate %type_C 2 Offset 16
// SCALAR-DAG: OpMemberDecorate %type_C 3 Offset 24
// SCALAR-DAG: OpDecorate %_arr_float_uint_2 ArrayStride 4
cbuffer C { float a; float3 b; float c[2]; float2 d; };
float4 main() : SV_Target { return float4(b, a + c[1]) + d.xyxy; }
