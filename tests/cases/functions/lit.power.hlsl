// A finished module raises to a power, as Direct3D specifies; -fcgl has DXC's product.
// RUN: -T cs_6_0 -E main
// RUN: -T cs_6_0 -E main -O0
// RUN: -T cs_6_0 -E main -fcgl --check-prefix=CODEGEN

// CHECK: OpExtInst %float {{%[0-9]+}} Pow
// CODEGEN-NOT: Pow
// CODEGEN: OpFMul %float
RWStructuredBuffer<float4> o;
[numthreads(1, 1, 1)] void main() { o[0] = lit(0.5, o[1].x, o[1].y); }
