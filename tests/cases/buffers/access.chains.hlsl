// RUN: -T vs_6_0 -E main -fcgl

// Members and the subscripts before them are one chain; an element of an array at the end begins another, and so does
// a member of a constant buffer.
struct S { float f[4]; };
cbuffer C { float t[4]; S s; };

// CHECK-LABEL: %src_main = OpFunction
float main(uint i : I) : A {
  S var[8];
// CHECK: [[i:%[0-9]+]] = OpLoad %uint %i
// CHECK-NEXT: [[f:%[0-9]+]] = OpAccessChain %_ptr_Function__arr_float_uint_4_0 %var [[i]] %int_0
// CHECK-NEXT: OpAccessChain %_ptr_Function_float [[f]] %int_2
  float r = var[i].f[2];
// CHECK: [[t:%[0-9]+]] = OpAccessChain %_ptr_Uniform__arr_float_uint_4 %C %int_0
// CHECK-NEXT: OpAccessChain %_ptr_Uniform_float [[t]] %int_1
  r += t[1];
// CHECK: [[s:%[0-9]+]] = OpAccessChain %_ptr_Uniform_S %C %int_1
// CHECK-NEXT: [[sf:%[0-9]+]] = OpAccessChain %_ptr_Uniform__arr_float_uint_4 [[s]] %int_0
// CHECK-NEXT: OpAccessChain %_ptr_Uniform_float [[sf]] %int_3
  r += s.f[3];
  return r;
}
