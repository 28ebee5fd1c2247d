// RUN: -T ps_6_0 -E main -fcgl

// CHECK-DAG: OpDecorate %in_var_A Flat
// CHECK-DAG: OpDecorate %in_var_B NoPerspective
// CHECK-DAG: OpDecorate %in_var_C Centroid
// CHECK-DAG: OpDecorate %in_var_D Sample
// CHECK-DAG: OpDecorate %in_var_E Flat
float4 main(nointerpolation float a : A, noperspective float b : B, centroid float c : C, sample float d : D, uint e : E)
    : SV_Target { return a + b + c + d + e; }
