// RUN: -T ps_6_0 -E main -fcgl

struct S { float a; };
RWStructuredBuffer<S> o;
Texture2D<float4> textures[8];

float4 main(float x : A, float4 v : B, nointerpolation uint n : C) : SV_Target {
  // What goes out is stored before the result is taken.
  float e;
  // CHECK: [[both:%[0-9]+]] = OpExtInst %FrexpStructType {{%[0-9]+}} FrexpStruct
  // CHECK-NEXT: [[int:%[0-9]+]] = OpCompositeExtract %int [[both]] 1
  // CHECK-NEXT: [[exponent:%[0-9]+]] = OpConvertSToF %float [[int]]
  // CHECK-NEXT: OpStore %e [[exponent]]
  // CHECK-NEXT: OpCompositeExtract %float [[both]] 0
  float m = frexp(x, e);
  // Of a scalar and a vector the vector is read first.
  // CHECK: [[v:%[0-9]+]] = OpLoad %v4float %v
  // CHECK-NEXT: [[x:%[0-9]+]] = OpLoad %float %x
  // CHECK-NEXT: OpVectorTimesScalar %v4float [[v]] [[x]]
  float4 p = mul(x, v);
  // A copy of the index is not uniform; the index itself may be.
  // CHECK: [[n:%[0-9]+]] = OpLoad %uint %n
  // CHECK-NEXT: [[copy:%[0-9]+]] = OpCopyObject %uint [[n]]
  // CHECK-NEXT: OpAccessChain %_ptr_UniformConstant_type_2d_image %textures [[copy]]
  return p * m * e + textures[NonUniformResourceIndex(n)].Load(int3(0, 0, 0));
}
