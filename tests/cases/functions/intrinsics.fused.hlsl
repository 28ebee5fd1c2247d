// RUN: -T cs_6_4 -E main -enable-16bit-types -fspv-target-env=vulkan1.1 -fspv-extension=SPV_KHR_fma -fspv-extension=SPV_VALVE_mixed_float_dot_product -fspv-extension=SPV_KHR_16bit_storage
// RUN: -T cs_6_4 -E main -enable-16bit-types -fspv-target-env=vulkan1.1 --check-prefix=PLAIN
// RUN: -T cs_6_4 -E main -enable-16bit-types -fspv-target-env=vulkan1.1 -fspv-extension=KHR --check-prefix=PLAIN

// CHECK-DAG: OpCapability FMAKHR
// CHECK-DAG: OpCapability DotProductFloat16AccFloat32VALVE
// CHECK-DAG: OpExtension "SPV_KHR_fma"
// CHECK-DAG: OpExtension "SPV_VALVE_mixed_float_dot_product"
// PLAIN-NOT: {{FMAKHR|VALVE}}

RWStructuredBuffer<float4> o;
RWStructuredBuffer<double> d;

[numthreads(1, 1, 1)] void main() {
    float4 a = o[0];
// CHECK: OpFmaKHR %v4float
// PLAIN: OpExtInst %v4float {{%[0-9]+}} Fma
    o[1] = mad(a, a.yxwz, a.zzzz);
// CHECK: OpFmaKHR %double
// PLAIN: OpExtInst %double {{%[0-9]+}} Fma
    d[1] = fma(d[0], d[2], d[3]);
// CHECK: OpFDot2MixAcc32VALVE %float
// PLAIN: OpFMul %v2half
    o[2] = dot2add(half2(a.xy), half2(a.zw), a.x);
// CHECK: OpIMul %int
    o[3] = mad(int(a.x), int(a.y), 3);
}
