// RUN: -T ps_6_0 -E main -fcgl

// CHECK: OpSelectionMerge %switch_merge None
// CHECK-NEXT: OpSwitch {{%[0-9]+}} %switch_default 1 %switch_1 2 %switch_2
// CHECK: %switch_1 = OpLabel
// CHECK: OpBranch %switch_2
// CHECK: %switch_2 = OpLabel
// CHECK: OpBranch %switch_merge
// CHECK: %switch_default = OpLabel
float4 main(int n : N) : SV_Target {
    float t = 0;
    switch (n) { case 1: t += 1; case 2: t += 2; break; default: t = 9; }
    return t;
}
