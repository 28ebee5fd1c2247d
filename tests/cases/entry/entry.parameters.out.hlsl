// RUN: -T vs_6_0 -E main -fcgl

// An inout parameter is an input and an output.
// CHECK: OpEntryPoint Vertex %main "main" %in_var_A %gl_Position %out_var_A
// CHECK: %main = OpFunction
// CHECK: %param_var_a = OpVariable %_ptr_Function_float Function
// CHECK: [[a:%[0-9]+]] = OpLoad %float %in_var_A
// CHECK: OpStore %param_var_a [[a]]
// CHECK: OpFunctionCall %v4float %src_main %param_var_a
// CHECK: [[b:%[0-9]+]] = OpLoad %float %param_var_a
// CHECK: OpStore %out_var_A [[b]]
float4 main(inout float a : A) : SV_Position { a *= 2; return a; }
