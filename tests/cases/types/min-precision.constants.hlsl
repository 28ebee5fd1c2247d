// RUN: -T ps_6_2 -E main -fcgl min-precision.constants.hlsl
// RUN: -T ps_6_2 -E main -fcgl -enable-16bit-types min-precision.constants.hlsl --check-prefix=SHORT

// Constants of minimum-precision types have the values of 16-bit ones, as in DXC; operations on them have 32 bits.
// CHECK-DAG: OpConstant %float 0.333251953
// CHECK-DAG: OpConstant %uint 9029
// CHECK-DAG: OpConstant %int 4464
// CHECK-DAG: OpConstant %uint 65535
// CHECK-DAG: OpConstant %int 32767
// CHECK-DAG: OpConstant %float 0.0999755859
// CHECK-DAG: OpConstant %float 0.700195312
// CHECK-DAG: OpConstant %float 0x1p+128
// CHECK-NOT: OpTypeFloat 16
// SHORT: OpConstant %half 0x1.554p-2
static const min16float third = 1.0 / 3.0;
static const min16uint wrapped = 0x12345;
float4 main(min16int a : A, min16uint b : B, min16float c : C, min10float d : D, float e : E) : SV_Target {
  min16int x = a + 70000 + (min16int)40000.5;
  min16uint y = (b + 0xFFFFFFFF) * wrapped;
  min16float2 z = c * 0.1 + third;
  min10float w = d * 0.1 + c * 70000.0;
  return float4(x, y, z.x, w) * (e * (min16float)0.7);
}
