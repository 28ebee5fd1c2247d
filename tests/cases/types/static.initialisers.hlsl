// RUN: -T ps_6_0 -E main -fcgl

// CHECK: %main = OpFunction
// CHECK: OpStore %counter %int_7
// CHECK: OpFunctionCall %v4float %src_main
// CHECK: OpLoad %bool %init_done_n
// CHECK: OpStore %init_done_n %true
static int counter = 7;
int next(int by) { static int n = by; return n++; }
float4 main(int a : A) : SV_Target { return counter++ + next(a); }
