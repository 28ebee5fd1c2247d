// RUN: -T ps_6_0 -E main -fcgl -fvk-use-dx-layout
// RUN: -T ps_6_0 -E main -fcgl -fvk-use-dx-layout -Zpr --check-prefix=ROWS

// By columns float1x2 has one number in a column, with a register each; expressions see a copy with a vector.
// CHECK: OpDecorate %_arr_float_uint_2 ArrayStride 16
// CHECK: OpMemberDecorate %type_C 1 Offset 16
// CHECK: OpMemberDecorate %type_C 2 Offset 36
// CHECK: %type_C = OpTypeStruct %float %_arr_float_uint_2 %float
// CHECK: %type_C_0 = OpTypeStruct %float %v2float %float
// CHECK: %C = OpVariable %_ptr_Uniform_type_C Uniform
// CHECK: %C_0 = OpVariable %_ptr_Private_type_C_0 Private
// CHECK: %main = OpFunction
// CHECK: OpFunctionCall %void %module_init
// CHECK: OpFunctionCall %float %src_main
// CHECK: OpAccessChain %_ptr_Private_v2float %C_0 %int_1
// CHECK: %module_init = OpFunction %void
// CHECK: [[FROM:%[0-9]+]] = OpAccessChain %_ptr_Uniform__arr_float_uint_2 %C %uint_1
// CHECK: [[TO:%[0-9]+]] = OpAccessChain %_ptr_Private_v2float %C_0 %uint_1
// CHECK: OpAccessChain %_ptr_Uniform_float [[FROM]] %uint_0
// CHECK: OpAccessChain %_ptr_Private_float [[TO]] %uint_0

// By rows it is a vector, and there is no copy.
// ROWS: OpMemberDecorate %type_C 1 Offset 4
// ROWS: OpMemberDecorate %type_C 2 Offset 12
// ROWS-NOT: module_init
cbuffer C { float a; float1x2 m; float b; };
float main() : SV_Target { return m._12 + a + b; }
