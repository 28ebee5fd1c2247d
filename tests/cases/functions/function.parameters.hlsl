// RUN: -T ps_6_0 -E main -fcgl

// CHECK: %param_var_x = OpVariable %_ptr_Function_float Function
// CHECK: OpFunctionCall %void %f %param_var_x %y
// CHECK: %f = OpFunction %void None
// CHECK-NEXT: %x = OpFunctionParameter %_ptr_Function_float
// CHECK-NEXT: %y_0 = OpFunctionParameter %_ptr_Function_float
void f(float x, out float y) { y = x; }
float4 main(float a : A) : SV_Target { float y; f(a, y); return y; }
