// RUN: -T ps_6_0 -E main -fcgl -fspv-debug=vulkan -fspv-target-env=vulkan1.1
// RUN: -T ps_6_0 -E main -fcgl -fspv-debug=line -fspv-target-env=vulkan1.1 --check-prefix=POINT
// DebugLine has the range of the operand that an instruction is about, or a point; OpLine ends before a label.

// CHECK: DebugLine {{%[0-9]+}} %uint_41 %uint_41 %uint_16 %uint_16
// CHECK-NEXT: OpLoad %type_2d_image %t
// CHECK: DebugLine {{%[0-9]+}} %uint_41 %uint_41 %uint_16 %uint_31
// CHECK-NEXT: OpSampledImage
// CHECK: DebugLine {{%[0-9]+}} %uint_42 %uint_42 %uint_17 %uint_17
// CHECK-NEXT: OpLoad %v4float %a
// CHECK: DebugLine {{%[0-9]+}} %uint_42 %uint_42 %uint_17 %uint_19
// CHECK-NEXT: OpVectorShuffle %v3float
// CHECK: DebugLine {{%[0-9]+}} %uint_42 %uint_42 %uint_43 %uint_52
// CHECK-NEXT: OpFAdd %v2float
// CHECK-NEXT: OpCompositeExtract
// CHECK: DebugLine {{%[0-9]+}} %uint_43 %uint_43 %uint_13 %uint_21
// CHECK-NEXT: OpSelect %int
// CHECK: DebugLine {{%[0-9]+}} %uint_44 %uint_44 %uint_14 %uint_14
// CHECK-NEXT: OpLoad %int %n
// CHECK-NEXT: OpINotEqual %bool
// CHECK: DebugLine {{%[0-9]+}} %uint_45 %uint_45 %uint_10 %uint_19
// CHECK-NEXT: OpBranch %for_check
// CHECK: DebugLine {{%[0-9]+}} %uint_46 %uint_46 %uint_14 %uint_14
// CHECK-NEXT: OpGroupNonUniformIAdd
// CHECK: DebugLine {{%[0-9]+}} %uint_50 %uint_50 %uint_5 %uint_5
// CHECK-NEXT: OpBranch %if_merge
// CHECK: DebugLine {{%[0-9]+}} %uint_53 %uint_53 %uint_5 %uint_5
// CHECK-NEXT: OpBranch %do_while_header

// POINT: OpLine {{%[0-9]+}} 40 20
// POINT-NEXT: %a = OpFunctionParameter
// POINT-NEXT: OpNoLine
// POINT-NEXT: %bb_entry = OpLabel
// POINT: OpLine {{%[0-9]+}} 52 5
// POINT-NEXT: OpBranch %if_merge
Texture2D t;
SamplerState s;


float4 main(float4 a : A) : SV_Target {
    float4 r = t.Sample(s, 0.5);
    r = float4((a.zyx), a.x); r += float4(r.xy + a.zw, 1, 2);
    int n = (a.x < 1);
    bool b = n && true;
    for (int i = 0; i < 3; ++i)
        n += WaveActiveSum(n);
    r.x += n;
    if (b) {
        r *= 2;
    } else {
        r *= 3;
    }
    do {
        r += a;
    } while (r.x < 2);
    return r;
}
