// RUN: -T ps_6_1 -E main -fcgl -fspv-target-env=vulkan1.1
// RUN: -T ps_6_1 -E main --check-prefix=FINAL

// Members that are nointerpolation are arrays in all variables of the struct; a struct that is copied keeps the values of
// all vertices.  What is made from single values repeats them, and outputs are the values of the first vertex.
// FINAL-DAG: OpAccessChain %_ptr_Input_v2float %in_var_A %int_1
// FINAL-DAG: OpAccessChain %_ptr_Input_float %in_var_B %int_2
// CHECK-DAG: OpDecorate %in_var_A PerVertexKHR
// CHECK-DAG: OpDecorate %in_var_B PerVertexKHR
// CHECK-NOT: OpDecorate %in_var_C PerVertexKHR
// CHECK: %Inner = OpTypeStruct %_arr_float_uint_3
// CHECK: %Values = OpTypeStruct %_arr_v2float_uint_3 %Inner %v2float %_arr__arr_float_uint_2_uint_3
struct Inner { float b; };
struct Values {
  nointerpolation float2 a : A;
  nointerpolation Inner inner : B;
  float2 c : C;
  nointerpolation float d[2] : D;
};

float at(nointerpolation float x, uint vertex) { return GetAttributeAtVertex(x, vertex); }

// CHECK: %main = OpFunction
// CHECK: OpStore %out_var_SV_Target1 {{%[0-9]+}}
struct Result { nointerpolation float2 a : SV_Target1; float4 color : SV_Target; };

// CHECK: %src_main = OpFunction
Result main(Values values, bool flag : FLAG) {
// CHECK: [[arrays:%[0-9]+]] = OpLoad %Values %values
// CHECK-NEXT: OpStore %copy [[arrays]]
  Values copy = values;
  Result r = (Result)0;
// CHECK: [[first:%[0-9]+]] = OpAccessChain %_ptr_Function_float %copy %int_1 %int_0 %uint_0
// CHECK-NEXT: [[value:%[0-9]+]] = OpLoad %float [[first]]
  r.color.x = copy.inner.b;
// CHECK: OpAccessChain %_ptr_Function_v2float %copy %int_0 %uint_1
  r.color.yz = GetAttributeAtVertex(copy.a, 1);
  if (flag)
    r.color.w = at(copy.inner.b, 2) + GetAttributeAtVertex(values.d[1], 2);
// CHECK: OpAccessChain %_ptr_Function_v2float %r %int_0 %uint_0
  r.a = values.a;
  return r;
}
