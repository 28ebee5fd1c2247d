// RUN: -T ps_6_0 -E main -fcgl
// RUN: -T ps_6_0 -E main --check-prefix=FINAL

// A function that returns a ConstantBuffer copies its contents first, as for a struct in a buffer.
struct S { float a; float4 b; };
ConstantBuffer<S> one;
ConstantBuffer<S> many[3];
TextureBuffer<S> two;

ConstantBuffer<S> element(uint i) { return many[i]; }
ConstantBuffer<S> whole() { return one; }
TextureBuffer<S> other() { return two; }

// CHECK: %element = OpFunction %type_ConstantBuffer_S None
// CHECK: %temp_var_ret = OpVariable %_ptr_Function_type_ConstantBuffer_S Function
// CHECK: [[v:%[0-9]+]] = OpLoad %type_ConstantBuffer_S
// CHECK-NEXT: OpStore %temp_var_ret [[v]]
// CHECK-NEXT: [[r:%[0-9]+]] = OpLoad %type_ConstantBuffer_S %temp_var_ret
// CHECK-NEXT: OpReturnValue [[r]]
// CHECK: %whole = OpFunction %type_ConstantBuffer_S None
// CHECK: OpStore %temp_var_ret_0
// CHECK: %other = OpFunction %type_TextureBuffer_S None
// CHECK: OpStore %temp_var_ret_1
// FINAL: OpAccessChain %_ptr_Uniform_v4float %many {{%[0-9]+}} %int_1
// FINAL: OpAccessChain %_ptr_Uniform_float %one %int_0
// FINAL: OpAccessChain %_ptr_Uniform_v4float %two %int_1
// FINAL-NOT: OpFunctionCall
float4 main(nointerpolation uint i : I) : SV_Target { return element(i).b * whole().a + other().b; }
