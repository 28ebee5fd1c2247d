// RUN: -T ps_6_0 -E main -fcgl

// CHECK: OpBranch %for_check
// CHECK: %for_check = OpLabel
// CHECK: OpLoopMerge %for_merge %for_continue Unroll
// CHECK-NEXT: OpBranchConditional {{%[0-9]+}} %for_body %for_merge
// CHECK: %for_body = OpLabel
// CHECK: OpBranch %for_continue
// CHECK: %for_continue = OpLabel
// CHECK: OpBranch %for_check
// CHECK: %for_merge = OpLabel
// CHECK: OpLoopMerge %while_merge %while_continue None
// CHECK: OpLoopMerge %do_while_merge %do_while_continue None
float4 main(int n : N) : SV_Target {
    float t = 0;
    [unroll] for (int i = 0; i < 4; i++) t += i;
    while (t < n) t *= 2;
    do { t -= 1; } while (t > 0);
    return t;
}
