// RUN: -T ps_6_0 -E main -fcgl

// Choices between constants and constructions are relaxed by their type; a value stays exact behind a cast that converts
// nothing, and so do operations on waves and structured buffers.

// CHECK-NOT: OpDecorate %buffer RelaxedPrecision
// CHECK: OpDecorate %whole RelaxedPrecision
// CHECK-NEXT: OpDecorate [[select:%[0-9]+]] RelaxedPrecision
// CHECK-NEXT: OpDecorate [[row:%[0-9]+]] RelaxedPrecision
// CHECK-NEXT: OpDecorate {{%[0-9]+}} RelaxedPrecision
// CHECK-NEXT: OpDecorate {{%[0-9]+}} RelaxedPrecision
// CHECK-NEXT: OpDecorate {{%[0-9]+}} RelaxedPrecision
// CHECK-NEXT: OpDecorate {{%[0-9]+}} RelaxedPrecision
// CHECK-NEXT: OpDecorate [[mask:%[0-9]+]] RelaxedPrecision
// CHECK-NEXT: OpDecorate [[shift:%[0-9]+]] RelaxedPrecision
// CHECK: OpMemberDecorate %ModfStructType 0 RelaxedPrecision
// CHECK: OpMemberDecorate %ModfStructType 1 RelaxedPrecision
StructuredBuffer<min16float> buffer;

// CHECK: %src_main = OpFunction
min16float4 main(bool flag : FLAG, nointerpolation min16int number : NUMBER) : SV_Target {
// CHECK: [[select]] = OpSelect %float {{%[0-9]+}} %float_1 %float_0
    min16float chosen = flag;
// CHECK: [[row]] = OpCompositeConstruct %v3float %float_1 %float_2 %float_3
    min16float2x3 rows = { 1, 2, 3, 4, 5, 6 };
    float exact = chosen;
    chosen = exact;
// CHECK: [[mask]] = OpBitwiseAnd %int %int_2 %int_31
// CHECK: [[shift]] = OpShiftLeftLogical %int
    number <<= 2;
    min16float whole;
    return chosen + rows._m01 + number + modf(chosen, whole) + buffer[0];
}
