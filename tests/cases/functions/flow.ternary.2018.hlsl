// RUN: -T ps_6_0 -E main -fcgl -HV 2018

// Before HLSL 2021 a scalar condition is converted to as many components as the result has, before the operands are
// evaluated.
float4 main(float4 a : A, float4 b : B, nointerpolation int i : I) : SV_Target {
// CHECK: %src_main = OpFunction
// CHECK: [[number:%[0-9]+]] = OpLoad %int %i
// CHECK-NEXT: [[bool:%[0-9]+]] = OpINotEqual %bool [[number]] %int_0
// CHECK-NEXT: [[cond:%[0-9]+]] = OpCompositeConstruct %v4bool [[bool]] [[bool]] [[bool]] [[bool]]
// CHECK-NEXT: [[a:%[0-9]+]] = OpLoad %v4float %a
// CHECK-NEXT: [[b:%[0-9]+]] = OpLoad %v4float %b
// CHECK-NEXT: OpSelect %v4float [[cond]] [[a]] [[b]]
  return i ? a : b;
}
