// RUN: -T ps_6_0 -E main -fcgl static.const.codegen.hlsl

// With -fcgl a constant scalar that is static has no variable, as in DXC; vectors have.
static const uint kCount = 1024;
static const float2 kPair = float2(1, 2);
static uint counter = 7;

// CHECK-NOT: %kCount = OpVariable
// CHECK: %kPair = OpVariable %_ptr_Private_v2float Private
// CHECK: %counter = OpVariable %_ptr_Private_uint Private
// CHECK-NOT: %kLimit = OpVariable

float4 main(nointerpolation uint i : A, float f : B) : SV_Target {
  static const float kLimit = 0.5;
// CHECK: OpULessThan %bool {{%[0-9]+}} %uint_1024
  if (i < kCount) counter++;
// CHECK: OpFOrdGreaterThan %bool {{%[0-9]+}} %float_0_5
  if (f > kLimit) counter++;
// CHECK: OpCompositeConstruct %v2float %float_0_5 %float_0_5
  float2 both;
  both = f > 0 ? kLimit.xx : kPair;
  return float4(both, counter, kCount.xx.y);
}
