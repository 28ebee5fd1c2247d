// RUN: -T cs_6_6 -E main -enable-16bit-types -fspv-target-env=vulkan1.2 -fspv-extension=SPV_KHR_untyped_pointers -O3
// RUN: -T cs_6_6 -E main -enable-16bit-types -fspv-target-env=vulkan1.2 -fspv-extension=SPV_KHR_untyped_pointers -O0
// RUN: -T cs_6_6 -E main -enable-16bit-types -fspv-target-env=vulkan1.1 -fspv-extension=SPV_KHR_untyped_pointers --check-prefix=WORDS
// RUN: -T cs_6_6 -E main -enable-16bit-types -fspv-target-env=vulkan1.2 --check-prefix=WORDS

// CHECK-DAG: OpCapability StorageBuffer16BitAccess
// CHECK-DAG: OpCapability UntypedPointersKHR
// CHECK: OpExtension "SPV_KHR_untyped_pointers"
// CHECK-DAG: OpDecorate %_runtimearr_half ArrayStride 2
// CHECK-DAG: OpDecorate %_runtimearr_float ArrayStride 4
// CHECK-DAG: OpDecorate %_runtimearr_ulong ArrayStride 8
// CHECK: [[s:%[0-9]+]] = OpUntypedAccessChainKHR %_ptr_StorageBuffer %_runtimearr_float %a
// CHECK: OpLoad %S{{(_0)?}} [[s]] Aligned 4
// CHECK: [[h:%[0-9]+]] = OpUntypedAccessChainKHR %_ptr_StorageBuffer %_runtimearr_half %b
// CHECK: OpStore [[h]] {{%[0-9]+}} Aligned 2
// CHECK: [[q:%[0-9]+]] = OpUntypedAccessChainKHR %_ptr_StorageBuffer %_runtimearr_ulong %b
// CHECK: OpAtomicIAdd %ulong [[q]]

// WORDS-NOT: Untyped

struct S { float4 v; half4 h; bool flag; };
ByteAddressBuffer a;
RWByteAddressBuffer b;
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  S s = a.Load<S>(id.x);
  b.Store(id.y, s.flag ? s.h : (half4)s.v);
  b.InterlockedAdd64(id.z, 1);
}
