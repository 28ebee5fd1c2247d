// RUN: -T ps_6_0 -E main -fspv-debug=vulkan -fcgl

// The rows of a matrix are taken at the beginning of the first argument, and the operation is at the whole call.  What
// `all` and `sign` convert is at the beginning, and the place of frexp's exponent is computed before.
float4 main(float2x2 m : M, float2 v : V, float4 w : W) : SV_Target {
// CHECK: DebugLine {{%[0-9]+}} %uint_10 %uint_10 %uint_20 %uint_20
// CHECK: OpCompositeExtract %v2float
// CHECK-NEXT: DebugLine {{%[0-9]+}} %uint_10 %uint_10 %uint_16 %uint_21
// CHECK-NEXT: OpExtInst %v2float {{%[0-9]+}} Cos
  float2x2 c = cos(m);
// CHECK: DebugLine {{%[0-9]+}} %uint_15 %uint_15 %uint_20 %uint_20
// CHECK-NEXT: OpFOrdNotEqual %v2bool
// CHECK-NEXT: DebugLine {{%[0-9]+}} %uint_15 %uint_15 %uint_20 %uint_25
// CHECK-NEXT: OpAll %bool
  bool condition = all(v);
// CHECK: OpExtInst %v2float {{%[0-9]+}} FSign
// CHECK-NEXT: DebugLine {{%[0-9]+}} %uint_19 %uint_19 %uint_22 %uint_22
// CHECK-NEXT: OpConvertFToS %v2int
  int2 signs = sign((v));
// CHECK: OpAccessChain %_ptr_Function_float %w
// CHECK: OpExtInst %FrexpStructType
  float f = frexp(v.x, w.z);
  return float4(c[0], signs) * condition + f + w;
}
