// RUN: -T ps_6_0 -E main
// An unrolled loop has offsets that are constants, and each of its values is decorated once.

// CHECK-DAG: [[one:%[0-9]+]] = OpConstantComposite %v2int %int_1 %int_1
// CHECK-DAG: [[two:%[0-9]+]] = OpConstantComposite %v2int %int_2 %int_2
// CHECK: OpImageSampleExplicitLod %v4float {{%[0-9]+}} {{%[0-9]+}} Lod|ConstOffset %float_0 [[one]]
// CHECK: OpImageSampleExplicitLod %v4float {{%[0-9]+}} {{%[0-9]+}} Lod|ConstOffset %float_0 [[two]]
SamplerState s;
Texture2D<min16float4> t;

min16float4 main() : SV_Target {
    min16float4 r = 0;
    [unroll] for (int i = 0; i < 3; ++i)
        r += t.SampleLevel(s, float2(0.1, 0.2), 0, i);
    return r;
}
