// RUN: -T cs_6_10 -E main -HV 202x -fspv-target-env=vulkan1.3 -enable-16bit-types header.matrices-of-waves.hlsl
// RUN: -T cs_6_10 -E main -HV 202x -fspv-target-env=vulkan1.3 -enable-16bit-types -O0 header.matrices-of-waves.hlsl --check-prefix=PLAIN
// RUN: not -T cs_6_10 -E main -HV 202x -fspv-target-env=vulkan1.2 -enable-16bit-types header.matrices-of-waves.hlsl --check-prefix=OLD

// Matrices that the threads of a wave or of a group hold together.
#include <dx/linalg.h>

using namespace dx::linalg;

ByteAddressBuffer given;
RWByteAddressBuffer result;
groupshared float whole[256];
groupshared float4 quarters[64];

// PLAIN: OpCooperativeMatrixLoadKHR
// OLD: matrices of MatrixScope::Wave and ThreadGroup need SPIR-V 1.6: use -fspv-target-env=vulkan1.3
// CHECK-DAG: OpCapability CooperativeMatrixKHR
// CHECK-DAG: OpCapability Float16
// CHECK-DAG: [[a:%\w+]] = OpTypeCooperativeMatrixKHR %half %uint_3 %uint_16 %uint_8 %uint_0
// CHECK-DAG: [[b:%\w+]] = OpTypeCooperativeMatrixKHR %half %uint_3 %uint_8 %uint_16 %uint_1
// CHECK-DAG: [[c:%\w+]] = OpTypeCooperativeMatrixKHR %float %uint_3 %uint_16 %uint_16 %uint_2
// CHECK-DAG: [[narrow:%\w+]] = OpTypeCooperativeMatrixKHR %half %uint_3 %uint_16 %uint_16 %uint_2
// CHECK-DAG: [[group:%\w+]] = OpTypeCooperativeMatrixKHR %float %uint_2 %uint_16 %uint_16 %uint_2
[numthreads(32, 1, 1)] void main() {
  using A = Matrix<ComponentType::F16, 16, 8, MatrixUse::A, MatrixScope::Wave>;
  using B = Matrix<ComponentType::F16, 8, 16, MatrixUse::B, MatrixScope::Wave>;
  using C = Matrix<ComponentType::F32, 16, 16, MatrixUse::Accumulator, MatrixScope::Wave>;
  // CHECK: [[x:%\w+]] = OpCooperativeMatrixLoadKHR [[a]] {{%\w+}} %int_0 %uint_4
  A a = A::Load(given, 0, 16, MatrixLayout::RowMajor);
  // CHECK: [[at:%\w+]] = OpAccessChain %_ptr_StorageBuffer_uint %given %uint_0 %uint_128
  // CHECK: [[y:%\w+]] = OpCooperativeMatrixLoadKHR [[b]] [[at]] %int_1 %uint_8
  B b = B::Load(given, 512, 32, MatrixLayout::ColMajor);
  // CHECK: [[z:%\w+]] = OpCooperativeMatrixMulAddKHR [[c]] [[x]] [[y]]
  C c = Multiply<ComponentType::F32>(a, b);
  // CHECK: OpCooperativeMatrixMulAddKHR [[c]] [[x]] [[y]] [[z]]
  c.MultiplyAccumulate(a, b);
  // CHECK: OpCooperativeMatrixStoreKHR {{%\w+}} {{%\w+}} %int_0 %uint_16 MakePointerAvailable|NonPrivatePointer
  c.Store(whole, 0, 16, MatrixLayout::RowMajor);
  // CHECK: OpAccessChain %_ptr_Workgroup_float %quarters %uint_1 %uint_1
  // CHECK: OpCooperativeMatrixLoadKHR [[c]] {{%\w+}} %int_1 %uint_16 MakePointerVisible|NonPrivatePointer
  C::Load(quarters, 5, 16, MatrixLayout::ColMajor).Store(result, 0, 64, MatrixLayout::RowMajor);
  // CHECK: OpFConvert [[narrow]]
  result.Store<half>(2048, c.Cast<ComponentType::F16>().Get(0));
  // CHECK: OpCooperativeMatrixStoreKHR {{%\w+}} {{%\w+}} %int_0 %uint_16
  Matrix<ComponentType::F32, 16, 16, MatrixUse::Accumulator, MatrixScope::ThreadGroup>::Splat(2).Store(
      result, 1024, 64, MatrixLayout::RowMajor);
}
