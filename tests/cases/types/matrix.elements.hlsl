// RUN: -T ps_6_0 -E main -fcgl

// CHECK: OpAccessChain %_ptr_Function_float %m %int_1 %int_0
// CHECK: OpAccessChain %_ptr_Function_float %m %int_0 %int_1
// CHECK: OpCompositeConstruct %v2float
// CHECK: [[row:%[0-9]+]] = OpAccessChain %_ptr_Function_v2float %m %uint_1
// CHECK: OpStore [[row]]
float4 main(float2 v : V) : SV_Target {
    float2x2 m = float2x2(v, v);
    float2 a = m._m10_m01;
    m[1] = v.yx;
    return float4(a, m[0]);
}
