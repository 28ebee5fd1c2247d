// RUN: -T cs_6_0 -E main -fspv-target-env=vulkan1.3 -fcgl
// RUN: not -T cs_6_0 -E main -fspv-target-env=vulkan1.1 --check-prefix=OLD

// OLD: CooperativeMatrix requires a minimum of SPIR-V 1.6
#include <vk/khr/cooperative_matrix.h>

RWStructuredBuffer<int> data;
groupshared int shared_data[64];

// CHECK-DAG: OpCapability CooperativeMatrixKHR
// CHECK-DAG: OpCapability VulkanMemoryModel
// CHECK-DAG: OpExtension "SPV_KHR_cooperative_matrix"
// CHECK-DAG: [[a:%spirvIntrinsicType[_0-9]*]] = OpTypeCooperativeMatrixKHR %int %uint_3 %uint_16 %uint_4 %uint_0
// CHECK-DAG: [[b:%spirvIntrinsicType[_0-9]*]] = OpTypeCooperativeMatrixKHR %int %uint_3 %uint_4 %uint_8 %uint_1
// CHECK-DAG: [[c:%spirvIntrinsicType[_0-9]*]] = OpTypeCooperativeMatrixKHR %int %uint_3 %uint_16 %uint_8 %uint_2
// CHECK: %main = OpFunction
[numthreads(64, 1, 1)] void main() {
  using A = vk::khr::CooperativeMatrixA<int, vk::ScopeSubgroup, 16, 4>;
  using B = vk::khr::CooperativeMatrixB<int, vk::ScopeSubgroup, 4, 8>;
  using C = vk::khr::CooperativeMatrixAccumulator<int, vk::ScopeSubgroup, 16, 8>;
  A a = A::Load<vk::CooperativeMatrixLayoutRowMajorKHR>(data, 0, 4);
  B b = B::Load<vk::CooperativeMatrixLayoutRowMajorKHR>(vk::GetGroupSharedAddress(shared_data[0]), 8);
  C c = C::Splat(1) * 3;
  c.Set(c.Get(0) + C::GetLength(), 1);
  c = cooperativeMatrixMultiplyAdd(a, b, c + c.negate());
  c.CoherentStore<vk::CooperativeMatrixLayoutRowMajorKHR>(data, 64, 8);
  // CHECK-DAG: OpCooperativeMatrixLoadKHR [[a]] {{%[a-z0-9_]+}} {{%[a-z0-9_]+}} {{%[a-z0-9_]+}} None
  // CHECK-DAG: OpCooperativeMatrixLoadKHR [[b]] {{%[a-z0-9_]+}} {{%[a-z0-9_]+}} {{%[a-z0-9_]+}} MakePointerVisible|NonPrivatePointer {{%[a-z0-9_]+}}
  // CHECK-DAG: OpCooperativeMatrixLengthKHR %uint [[c]]
  // CHECK-DAG: OpCompositeConstruct [[c]] {{%[a-z0-9_]+}}
  // CHECK-DAG: OpMatrixTimesScalar [[c]]
  // CHECK-DAG: OpSNegate [[c]]
  // CHECK-DAG: OpIAdd [[c]]
  // CHECK-DAG: OpCooperativeMatrixMulAddKHR [[c]] {{%[a-z0-9_]+}} {{%[a-z0-9_]+}} {{%[a-z0-9_]+}} MatrixASignedComponentsKHR|MatrixBSignedComponentsKHR|MatrixCSignedComponentsKHR|MatrixResultSignedComponentsKHR
  // CHECK-DAG: OpCooperativeMatrixStoreKHR {{%[a-z0-9_]+}} {{%[a-z0-9_]+}} {{%[a-z0-9_]+}} {{%[a-z0-9_]+}} MakePointerAvailable|NonPrivatePointer {{%[a-z0-9_]+}}
}
