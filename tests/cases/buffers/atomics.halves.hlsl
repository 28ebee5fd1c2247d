// RUN: -T cs_6_6 -E main -enable-16bit-types -fspv-target-env=vulkan1.2

// CHECK: OpCapability AtomicFloat16AddEXT
// CHECK: OpCapability AtomicFloat16MinMaxEXT
// CHECK: OpCapability AtomicFloat16VectorNV
// CHECK-DAG: OpExtension "SPV_EXT_shader_atomic_float16_add"
// CHECK-DAG: OpExtension "SPV_EXT_shader_atomic_float_min_max"
// CHECK-DAG: OpExtension "SPV_NV_shader_atomic_fp16_vector"
// CHECK: OpAtomicFAddEXT %half
// CHECK: OpAtomicFMinEXT %half
// CHECK: OpAtomicFMaxEXT %v4half %cell %uint_2 %uint_0
// CHECK: OpAtomicExchange %v2half
// CHECK: [[TEXEL:%[0-9]+]] = OpImageTexelPointer %_ptr_Image_v2half %t
// CHECK: OpAtomicFAddEXT %v2half [[TEXEL]]
RWStructuredBuffer<float16_t> f;
RWStructuredBuffer<float16_t2> v;
RWTexture2D<float16_t2> t;
RWByteAddressBuffer b;
groupshared float16_t4 cell;
[numthreads(1, 1, 1)] void main() {
    float16_t before;
    float16_t2 two;
    InterlockedAdd(f[0], 1, before);
    b.InterlockedMinFloat16(4, before);
    InterlockedMax(cell, 2.5);
    InterlockedExchange(v[0], 1, two);
    InterlockedAdd(t[uint2(0, 0)], two);
}
