// RUN: -T ps_6_0 -E main -fcgl

// A function declared inside another is the one that is defined later.
// CHECK-LABEL: %src_main = OpFunction
float main() : SV_Target {
  float twice(float x);
// CHECK: OpFunctionCall %float %twice %param_var_x
  return twice(2);
}
// CHECK: %twice = OpFunction %float
float twice(float x) { return x * 2; }
