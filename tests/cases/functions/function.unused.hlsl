// RUN: -T ps_6_0 -E main -fcgl

// What is not called is not generated.
// CHECK-NOT: %idle
// CHECK: %used = OpFunction
// CHECK-NOT: %idle
float idle(float x) { return x; }
float used(float x) { return x; }
float4 main(float a : A) : SV_Target { return used(a); }
