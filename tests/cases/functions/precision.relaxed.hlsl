// RUN: -T ps_6_0 -E main -fcgl

// Variables, parameters, images and what is computed of them alone.
// CHECK-DAG: OpDecorate %t RelaxedPrecision
// CHECK-DAG: OpDecorate %in_var_A RelaxedPrecision
// CHECK-DAG: OpDecorate %scale RelaxedPrecision
// CHECK-DAG: OpDecorate %halved RelaxedPrecision
// CHECK-DAG: OpDecorate %n RelaxedPrecision
Texture2D<min16float4> t;
SamplerState s;
static min16float scale = 2;

min16float halved(min16float n) {
  return n * scale;
}

float4 main(min16float a : A, min12int b : B) : SV_Target {
// CHECK-LABEL: %src_main = OpFunction
  min16float m = halved(a);
// Another type in HLSL, the same in SPIR-V.
// CHECK: [[cast:%[0-9]+]] = OpBitcast %int
  min16int c = b;
  return t.Sample(s, float2(m, c));
}
// CHECK: %halved = OpFunction
// CHECK: OpFMul %float
