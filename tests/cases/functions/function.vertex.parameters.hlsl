// RUN: -T ps_6_1 -E main -fcgl
// RUN: -T ps_6_1 -E main --check-prefix=FINAL

// A parameter of which GetAttributeAtVertex reads the value at a vertex is an array of three values; the function may be
// called with several inputs.  Plain reads get the value at the first vertex.
// FINAL-NOT: OpFunctionCall
// FINAL-DAG: OpDecorate %in_var_A PerVertexKHR
// FINAL-DAG: OpDecorate %in_var_B PerVertexKHR
// FINAL-DAG: OpAccessChain %_ptr_Input_v3float %in_var_A %uint_2
// FINAL-DAG: OpAccessChain %_ptr_Input_v3float %in_var_B %uint_2
// CHECK-DAG: OpDecorate %in_var_A PerVertexKHR
// CHECK-DAG: OpDecorate %in_var_B PerVertexKHR
float3 weighted(nointerpolation float3 a, float3 w) {
  return GetAttributeAtVertex(a, 0) * w.x + GetAttributeAtVertex(a, 1) * w.y + GetAttributeAtVertex(a, 2) * w.z;
}
float3 through(nointerpolation float3 b, float3 w) { return weighted(b, w) + b; }

// CHECK: %src_main = OpFunction
// CHECK: [[v:%[0-9]+]] = OpAccessChain %_ptr_Input_v3float %in_var_A %uint_0
// CHECK-NEXT: [[x:%[0-9]+]] = OpLoad %v3float [[v]]
// CHECK-NEXT: [[e:%[0-9]+]] = OpAccessChain %_ptr_Function_v3float %param_var_a_0 %uint_0
// CHECK-NEXT: OpStore [[e]] [[x]]
// CHECK: OpAccessChain %_ptr_Input_v3float %in_var_A %uint_2
// CHECK: OpFunctionCall %v3float %weighted %param_var_a_0
// CHECK: OpAccessChain %_ptr_Input_v3float %in_var_B %uint_0
// CHECK: OpFunctionCall %v3float %through %param_var_b_0
// CHECK: %weighted = OpFunction
// CHECK-NEXT: %a_0 = OpFunctionParameter %_ptr_Function__arr_v3float_uint_3
// CHECK: OpAccessChain %_ptr_Function_v3float %a_0 %uint_1
// CHECK: %through = OpFunction
// CHECK-NEXT: %b_0 = OpFunctionParameter %_ptr_Function__arr_v3float_uint_3
// CHECK: [[first:%[0-9]+]] = OpAccessChain %_ptr_Function_v3float %b_0 %uint_0
// CHECK: OpFunctionCall %v3float %weighted
// CHECK: OpLoad %v3float [[first]]
float4 main(nointerpolation float3 a : A, nointerpolation float3 b : B, float3 w : SV_Barycentrics) : SV_Target {
  return float4(weighted(a, w) + through(b, w), 1);
}
