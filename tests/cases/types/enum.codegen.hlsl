// RUN: -T ps_6_0 -E main -fcgl enum.codegen.hlsl
// RUN: -T ps_6_0 -E main enum.codegen.hlsl --check-prefix=FINAL

// With -fcgl an enumerator of type int is a Private variable, as in DXC; an argument of type int takes its value.
enum Number { First, Second = 5 };
enum class Wide : uint { Big = 7 };

// CHECK: %First = OpVariable %_ptr_Private_int Private %int_0
// CHECK: %Second = OpVariable %_ptr_Private_int Private %int_5
// CHECK-NOT: %Big = OpVariable
// FINAL-NOT: OpVariable %_ptr_Private_int
int twice(int x) { return x + x; }

float4 main(nointerpolation int i : A) : SV_Target {
// CHECK: [[second:%[0-9]+]] = OpLoad %int %Second
// CHECK: OpStore %n [[second]]
  Number n;
  n = Second;
// CHECK: [[a:%[0-9]+]] = OpLoad %int %First
// CHECK: [[b:%[0-9]+]] = OpLoad %int %Second
// CHECK: OpIAdd %int [[a]] [[b]]
  int sum;
  sum = First + Second;
// CHECK: OpStore %param_var_x %int_5
  sum += twice(Second);
// CHECK: OpBitcast %int
  n = (Number)i;
  return sum + n + (uint)Wide::Big;
}
