// RUN: -T ps_6_0 -E main -fcgl enum.codegen.hlsl
// RUN: -T ps_6_0 -E main enum.codegen.hlsl --check-prefix=FINAL

// With -fcgl an enumerator of type int is a Private variable, as in DXC; what is converted to int
// takes its value.
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
  n = First + Second;
// CHECK: OpStore %sum %int_5
  int sum;
  sum = First + Second;
// CHECK: OpIEqual %bool {{%[0-9]+}} %int_5
  if (i == Second)
// CHECK: OpStore %n %int_5
    n = (Number)5;
// CHECK: [[c:%[0-9]+]] = OpLoad %int %Second
// CHECK: OpAccessChain %_ptr_Function_int %numbers [[c]]
  int numbers[6];
  numbers[Second] = 1;
// CHECK: OpStore %temp_var_ternary %int_0
// CHECK: OpStore %temp_var_ternary %int_5
  sum = i > 1 ? First : Second;
// CHECK: OpStore %sum %int_n5
  sum = -Second;
// CHECK: OpStore %param_var_x %int_5
  sum += twice(Second);
// CHECK: OpBitcast %int
  n = (Number)i;
  return sum + n + (uint)Wide::Big;
}
