// RUN: -T cs_6_6 -E main -fspv-target-env=vulkan1.3 header.small-floats.hlsl
// RUN: -T cs_6_6 -E main -fspv-target-env=vulkan1.3 -O0 header.small-floats.hlsl
// RUN: -T cs_6_6 -E product -fspv-target-env=vulkan1.3 header.small-floats.hlsl --check-prefix=PRODUCT
// RUN: not -T cs_6_6 -E main -fspv-target-env=vulkan1.3 -fspv-extension=SPV_KHR_16bit_storage header.small-floats.hlsl --check-prefix=REFUSED

// Numbers of SPV_KHR_bfloat16 and SPV_EXT_float8: their capabilities are not those of half and of bytes.
#include <vk/khr/cooperative_matrix.h>
#include <vk/khr/bfloat16.h>
#include <vk/ext/float8.h>

// CHECK-NOT: OpCapability Float16
// CHECK-NOT: OpCapability Int8
// CHECK-DAG: OpCapability BFloat16TypeKHR
// CHECK-DAG: OpCapability BFloat16DotProductKHR
// CHECK-DAG: OpCapability Float8EXT
// CHECK-DAG: OpCapability StorageBuffer16BitAccess
// CHECK-DAG: OpCapability StorageBuffer8BitAccess
// CHECK-DAG: OpExtension "SPV_KHR_bfloat16"
// CHECK-DAG: OpExtension "SPV_EXT_float8"
// CHECK-DAG: OpTypeFloat 16 BFloat16KHR
// CHECK-DAG: OpTypeFloat 8 Float8E4M3EXT
// CHECK-DAG: OpTypeFloat 8 Float8E5M2EXT
// CHECK: OpFunction
// CHECK-DAG: OpFConvert
// CHECK-DAG: OpDot
// PRODUCT: OpCapability BFloat16CooperativeMatrixKHR
// PRODUCT: OpCooperativeMatrixMulAddKHR
// REFUSED: error: SPIR-V extension 'SPV_KHR_bfloat16' required for bfloat16 but not permitted to use
struct S { vk::khr::bfloat16_t a; vk::khr::bfloat16_t2 b; vk::ext::float8_e4m3_t c; };
RWStructuredBuffer<S> s;
RWStructuredBuffer<vk::ext::float8_e5m2_t4> e;
RWStructuredBuffer<float4> o;

[numthreads(1, 1, 1)]
void main() {
  float x = vk::khr::ToFloat(s[0].a);
  S t = s[0];
  t.a = vk::khr::ToBFloat16(x * 2);
  t.b = vk::khr::ToBFloat16(o[1].xy);
  t.c = vk::ext::ToFloat8E4M3(x);
  s[1] = t;
  e[0] = vk::ext::ToFloat8E5M2(o[0]);
  o[2] = vk::ext::ToFloat(e[1]) + vk::khr::ToFloat(vk::khr::Dot(s[0].b, t.b));
}

RWStructuredBuffer<vk::khr::bfloat16_t> factors;
RWStructuredBuffer<float> sums;

[numthreads(32, 1, 1)]
void product() {
  using A = vk::khr::CooperativeMatrixA<vk::khr::bfloat16_t, vk::ScopeSubgroup, 16, 16>;
  using B = vk::khr::CooperativeMatrixB<vk::khr::bfloat16_t, vk::ScopeSubgroup, 16, 16>;
  using C = vk::khr::CooperativeMatrixAccumulator<float, vk::ScopeSubgroup, 16, 16>;
  A a = A::Load<vk::CooperativeMatrixLayoutRowMajorKHR>(factors, 0, 16);
  B b = B::Load<vk::CooperativeMatrixLayoutRowMajorKHR>(factors, 256, 16);
  C c = vk::khr::cooperativeMatrixMixedMultiplyAdd(a, b, C::Splat(1));
  c.Store<vk::CooperativeMatrixLayoutRowMajorKHR>(sums, 0, 16);
}
