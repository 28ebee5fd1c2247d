// RUN: -T ps_6_0 -E main
// Component i stands at its own place of the footprint, so that place is added to constant offsets.

// CHECK-DAG: [[x:%[0-9]+]] = OpConstantComposite %v2int %int_1 %int_3
// CHECK-DAG: [[y:%[0-9]+]] = OpConstantComposite %v2int %int_4 %int_5
// CHECK-DAG: [[z:%[0-9]+]] = OpConstantComposite %v2int %int_6 %int_6
// CHECK-DAG: [[w:%[0-9]+]] = OpConstantComposite %v2int %int_7 %int_7
// CHECK: [[offsets:%[0-9]+]] = OpConstantComposite %_arr_v2int_uint_4 [[x]] [[y]] [[z]] [[w]]
// CHECK: OpImageGather %v4float {{%[0-9]+}} {{%[0-9]+}} %int_1 ConstOffsets [[offsets]]
// CHECK: OpImageSparseGather %SparseResidencyStruct {{%[0-9]+}} {{%[0-9]+}} %int_2 ConstOffsets [[offsets]]
// The offset 8 would be beyond what every device has to take.
// CHECK: OpImageGather %v4float {{%[0-9]+}} {{%[0-9]+}} %int_3 ConstOffset
// Newer versions of spirv-opt drop an offset of zero.
// CHECK: OpImageGather %v4float {{%[0-9]+}} {{%[0-9]+}} %int_3 {{ConstOffset|None}}
// CHECK: OpImageGather %v4float {{%[0-9]+}} {{%[0-9]+}} %int_3 {{ConstOffset|None}}
// CHECK: OpImageGather %v4float {{%[0-9]+}} {{%[0-9]+}} %int_3 {{ConstOffset|None}}
Texture2D t;
SamplerState s;
float4 main(float2 uv : UV) : SV_Target {
    uint status;
    float4 green = t.GatherGreen(s, uv, int2(1, 2), int2(3, 4), int2(5, 6), int2(7, 7));
    float4 blue = t.GatherBlue(s, uv, int2(1, 2), int2(3, 4), int2(5, 6), int2(7, 7), status);
    return green + blue + status + t.GatherAlpha(s, uv, int2(1, 7), 0, 0, 0);
}
