// RUN: -T ps_6_0 -E main -fcgl

// CHECK: OpSelectionMerge %if_merge None
// CHECK: OpBranchConditional {{%[0-9]+}} %if_true %if_merge
// CHECK: %if_true = OpLabel
// CHECK-NEXT: OpKill
// CHECK: %if_merge = OpLabel
float4 main(float4 c : C) : SV_Target { if (c.a < 0.5) discard; return c; }
