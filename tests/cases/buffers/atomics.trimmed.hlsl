// RUN: -T cs_6_0 -E main -O3

// CHECK-NOT: AtomicFloat32MinMaxEXT
// CHECK: OpCapability AtomicFloat32AddEXT
// CHECK-NOT: AtomicFloat32MinMaxEXT
// CHECK-NOT: SPV_EXT_shader_atomic_float_min_max
// CHECK: OpExtension "SPV_EXT_shader_atomic_float_add"
// CHECK-NOT: SPV_EXT_shader_atomic_float_min_max
// CHECK: OpAtomicFAddEXT
RWStructuredBuffer<float> f;
[numthreads(1, 1, 1)] void main() {
    bool never = false;
    if (never) InterlockedMin(f[0], 1);
    InterlockedAdd(f[0], 1);
}
