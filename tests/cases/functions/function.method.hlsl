// RUN: -T ps_6_0 -E main -fcgl

// CHECK: OpFunctionCall %float %S_twice %s
// CHECK: %S_twice = OpFunction %float None
// CHECK-NEXT: %param_this = OpFunctionParameter %_ptr_Function_S
struct S { float a; float twice() { return a * 2; } };
float4 main(float a : A) : SV_Target { S s; s.a = a; return s.twice(); }
