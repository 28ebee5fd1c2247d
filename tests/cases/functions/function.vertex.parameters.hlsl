// RUN: -T ps_6_1 -E main -fcgl
// RUN: -T ps_6_1 -E main --check-prefix=FINAL

// Everything that is nointerpolation has three values, also a parameter of a function that is called with several inputs.
// Plain reads get the value at the first vertex: that of a parameter is copied to a variable.
// FINAL-NOT: OpFunctionCall
// FINAL-DAG: OpDecorate %in_var_A PerVertexKHR
// FINAL-DAG: OpDecorate %in_var_B PerVertexKHR
// FINAL-DAG: OpAccessChain %_ptr_Input_v3float %in_var_A %int_2
// FINAL-DAG: OpAccessChain %_ptr_Input_v3float %in_var_B %int_2
// CHECK-DAG: OpDecorate %in_var_A PerVertexKHR
// CHECK-DAG: OpDecorate %in_var_B PerVertexKHR
float3 weighted(nointerpolation float3 a, float3 w) {
  return GetAttributeAtVertex(a, 0) * w.x + GetAttributeAtVertex(a, 1) * w.y + GetAttributeAtVertex(a, 2) * w.z;
}
float3 through(nointerpolation float3 b, float3 w) { return weighted(b, w) + b; }

// CHECK: [[inputs:%[0-9]+]] = OpLoad %_arr_v3float_uint_3 %in_var_A
// CHECK-NEXT: OpStore %param_var_a [[inputs]]

// CHECK: %src_main = OpFunction
// CHECK: [[values:%[0-9]+]] = OpLoad %_arr_v3float_uint_3 %b
// CHECK-NEXT: OpStore %param_var_b_0 [[values]]
// CHECK: [[first:%[0-9]+]] = OpAccessChain %_ptr_Function_v3float %b %uint_0
// CHECK-NEXT: [[copy:%[0-9]+]] = OpLoad %v3float [[first]]
// CHECK-NEXT: OpStore %b_perVertexParam0 [[copy]]
// CHECK: OpFunctionCall %v3float %weighted %param_var_a_0
// CHECK: OpFunctionCall %v3float %through %param_var_b_0
// CHECK: %weighted = OpFunction
// CHECK-NEXT: %a_0 = OpFunctionParameter %_ptr_Function__arr_v3float_uint_3
// CHECK: OpAccessChain %_ptr_Function_v3float %a_0 %uint_1
// CHECK: %through = OpFunction
// CHECK-NEXT: %b_0 = OpFunctionParameter %_ptr_Function__arr_v3float_uint_3
// CHECK: OpFunctionCall %v3float %weighted
// CHECK: OpLoad %v3float %b_perVertexParam0_0
float4 main(nointerpolation float3 a : A, nointerpolation float3 b : B, float3 w : SV_Barycentrics) : SV_Target {
  return float4(weighted(a, w) + through(b, w), 1);
}
