// RUN: -T cs_6_6 -E main -fspv-target-env=vulkan1.2 -O0
// RUN: -T cs_6_6 -E main -fspv-target-env=vulkan1.2 -O3

// CHECK: OpCapability AtomicFloat32AddEXT
// CHECK: OpCapability AtomicFloat32MinMaxEXT
// CHECK: OpCapability AtomicFloat64AddEXT
// CHECK-NOT: AtomicFloat64MinMaxEXT
// CHECK-DAG: OpExtension "SPV_EXT_shader_atomic_float_add"
// CHECK-DAG: OpExtension "SPV_EXT_shader_atomic_float_min_max"
// CHECK: OpAtomicFAddEXT %float {{%[0-9]+}} %uint_1 %uint_0 %float_1
// CHECK: OpAtomicFMinEXT %float %cell %uint_2 %uint_0
// CHECK: OpAtomicFAddEXT %double {{%[0-9]+}} %uint_1 %uint_0 %double_2
// CHECK: OpAtomicExchange %double
// CHECK: [[FLOATS:%[0-9]+]] = OpAccessChain %_ptr_{{[A-Za-z]+}}_float %b %uint_0
// CHECK: OpAtomicFMaxEXT %float [[FLOATS]]
// CHECK: [[TEXEL:%[0-9]+]] = OpImageTexelPointer %_ptr_Image_float %t
// CHECK: OpAtomicFAddEXT %float [[TEXEL]] %uint_1 %uint_0
RWStructuredBuffer<float> f;
RWStructuredBuffer<double> d;
RWByteAddressBuffer b;
RWTexture2D<float> t;
groupshared float cell;
[numthreads(1, 1, 1)] void main() {
    float before;
    double wide;
    InterlockedAdd(f[0], 1, before);
    InterlockedMin(cell, before);
    InterlockedAdd(d[0], 2);
    InterlockedExchange(d[1], 3, wide);
    b.InterlockedMaxFloat(4, before);
    InterlockedAdd(t[uint2(1, 2)], before);
    f[1] = wide;
}
