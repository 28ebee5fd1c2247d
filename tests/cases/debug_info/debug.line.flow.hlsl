// RUN: -T ps_6_0 -E main -Zi -fcgl
float4 main(int n : N) : SV_Target {
    float t = 0;
    for (int i = 0; i < n; i++) {
        if (i == 7)
            break;
        t += i;
    }
    return t;
}
// A loop is entered at its condition and left at its end, an `if` branches where its body begins.

// CHECK: [[file:%[0-9]+]] = OpString "debug.line.flow.hlsl"
// CHECK-NEXT: OpSource HLSL 600 [[file]] "// RUN: -T ps_6_0 -E main -Zi -fcgl
// CHECK: OpLine [[file]] 2 17
// CHECK-NEXT: %n = OpFunctionParameter
// CHECK: OpLine [[file]] 4 21
// CHECK-NEXT: OpBranch %for_check
// CHECK: OpSLessThan
// CHECK-NEXT: OpLine [[file]] 4 25
// CHECK-NEXT: OpLoopMerge
// CHECK-NEXT: OpBranchConditional
// CHECK: OpLine [[file]] 6 13
// CHECK-NEXT: OpSelectionMerge
// CHECK: OpLine [[file]] 6 13
// CHECK-NEXT: OpBranch %for_merge
// CHECK: OpLine [[file]] 8 5
// CHECK-NEXT: OpBranch %for_continue
// CHECK: OpLine [[file]] 8 5
// CHECK-NEXT: OpBranch %for_check
// CHECK: OpLine [[file]] 9 5
// CHECK-NEXT: OpReturnValue
