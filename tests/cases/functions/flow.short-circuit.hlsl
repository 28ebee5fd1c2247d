// RUN: -T ps_6_0 -E main -fcgl
// RUN: -T ps_6_0 -E main -fcgl -HV 2018 --check-prefix=OLD

// CHECK: OpSelectionMerge %logical_merge None
// CHECK: OpBranchConditional {{%[0-9]+}} %logical_lhs_cond %logical_merge
// CHECK-NOT: OpLogicalAnd
// OLD-NOT: OpSelectionMerge
// OLD: OpLogicalAnd %bool
float4 main(float a : A, float b : B) : SV_Target { bool both = a > 0 && b > 0; return both; }
