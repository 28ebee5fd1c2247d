// RUN: -T cs_6_10 -E main -fspv-target-env=vulkan1.3 -enable-16bit-types header.linear-algebra.hlsl
// RUN: -T cs_6_10 -E main -fspv-target-env=vulkan1.3 -enable-16bit-types -O0 header.linear-algebra.hlsl
// RUN: -T cs_6_10 -E main -fspv-target-env=vulkan1.3 -enable-16bit-types -Zi -fspv-debug=vulkan-with-source header.linear-algebra.hlsl
// RUN: -T cs_6_10 -E other -fspv-target-env=vulkan1.3 -enable-16bit-types -DOTHER -fspv-extension=KHR -fspv-extension=SPV_NV_cooperative_matrix2 header.linear-algebra.hlsl --check-prefix=OTHER
// RUN: -T lib_6_10 -fspv-target-env=vulkan1.3 -enable-16bit-types -DLIBRARY header.linear-algebra.hlsl --check-prefix=LIBRARY
// RUN: not -T cs_6_10 -E wrong -fspv-target-env=vulkan1.3 -enable-16bit-types -DWRONG header.linear-algebra.hlsl --check-prefix=WRONG
// RUN: not -T cs_6_10 -E wrong -fspv-target-env=vulkan1.3 -enable-16bit-types -DMISMATCH header.linear-algebra.hlsl --check-prefix=MISMATCH

// Matrices of a wave and of a thread group.
#include <dx/linalg.h>

using namespace dx::linalg;
using A = Matrix<ComponentType::F16, 16, 8, MatrixUse::A, MatrixScope::Wave>;
using B = Matrix<ComponentType::F16, 8, 16, MatrixUse::B, MatrixScope::Wave>;
using C = Matrix<ComponentType::F32, 16, 16, MatrixUse::Accumulator, MatrixScope::Wave>;
using Large = Matrix<ComponentType::I8, 32, 64, MatrixUse::A, MatrixScope::ThreadGroup>;
using Right = Matrix<ComponentType::I8, 64, 32, MatrixUse::B, MatrixScope::ThreadGroup>;

ByteAddressBuffer given;
RWByteAddressBuffer result;
groupshared uint4 shared[16];

// CHECK-DAG: OpCapability CooperativeMatrixKHR
// CHECK-DAG: OpCapability VulkanMemoryModel
// CHECK-DAG: OpExtension "SPV_KHR_cooperative_matrix"
// CHECK-DAG: [[a:%[0-9]+]] = OpTypeCooperativeMatrixKHR %half %uint_3 %uint_16 %uint_8 %uint_0
// CHECK-DAG: [[b:%[0-9]+]] = OpTypeCooperativeMatrixKHR %half %uint_3 %uint_8 %uint_16 %uint_1
// CHECK-DAG: [[c:%[0-9]+]] = OpTypeCooperativeMatrixKHR %float %uint_3 %uint_16 %uint_16 %uint_2
// CHECK-DAG: [[large:%[0-9]+]] = OpTypeCooperativeMatrixKHR %char %uint_2 %uint_32 %uint_64 %uint_0
// CHECK-DAG: [[sum:%[0-9]+]] = OpTypeCooperativeMatrixKHR %int %uint_2 %uint_32 %uint_32 %uint_2
#ifndef LIBRARY
[numthreads(32, 1, 1)] void main() {
  // CHECK: OpCooperativeMatrixLoadKHR [[a]] {{%[0-9]+}} %uint_0 {{%[a-z0-9_]+}}
  A a = A::Load(given, 0, 16, MatrixLayout::RowMajor);
  // CHECK: OpCooperativeMatrixLoadKHR [[b]] {{%[0-9]+}} %uint_1 {{%[a-z0-9_]+}} MakePointerVisible|NonPrivatePointer %uint_2
  B b = B::Load(shared, 16, 16, MatrixLayout::ColMajor);
  // CHECK: OpCooperativeMatrixMulAddKHR [[c]]
  C c = Multiply<ComponentType::F32>(a, b);
  // CHECK: OpCooperativeMatrixStoreKHR {{%[0-9]+}} {{%[0-9]+}} %uint_0 {{%[a-z0-9_]+}}
  c.Store(result, 0, 64, MatrixLayout::RowMajor);
  // CHECK: OpCooperativeMatrixMulAddKHR [[sum]] {{%[0-9]+}} {{%[0-9]+}} {{%[0-9]+}} MatrixASignedComponentsKHR|MatrixBSignedComponentsKHR|MatrixCSignedComponentsKHR|MatrixResultSignedComponentsKHR
  Multiply<ComponentType::I32>(Large::Splat(2), Right::Splat(3)).Store(result, 1024, 128, MatrixLayout::RowMajor);
}
#endif

#ifdef OTHER
// OTHER: OpCapability CooperativeMatrixConversionsNV
// OTHER: OpExtension "SPV_NV_cooperative_matrix2"
[numthreads(32, 1, 1)] void other() {
  C c = C::Load(given, 0, 64, MatrixLayout::RowMajor);
  // OTHER: OpCooperativeMatrixConvertUseEXT
  Matrix<ComponentType::F16, 16, 16, MatrixUse::A, MatrixScope::Wave> a = c.Cast<ComponentType::F16, MatrixUse::A>();
  // OTHER: OpCooperativeMatrixTransposeNV
  c.MultiplyAccumulate(a, c.Cast<ComponentType::F16, MatrixUse::B, true>());
  c.Store(result, 0, 64, MatrixLayout::RowMajor);
}
#endif

#ifdef WRONG
[numthreads(32, 1, 1)] void wrong() {
  A a = A::Splat(1);
  C c = C::Splat(1);
  // WRONG-DAG: SPIR-V does not have a cast of MatrixUse::A to MatrixUse::B
  a.Cast<ComponentType::F16, MatrixUse::B>();
  // WRONG-DAG: SPIR-V extension 'SPV_NV_cooperative_matrix2' required for a cast of MatrixUse::Accumulator to MatrixUse::A but not permitted to use
  c.Cast<ComponentType::F16, MatrixUse::A>();
  // WRONG-DAG: SPIR-V does not have optimal layouts of matrices of a wave or a thread group
  __builtin_LinAlg_MatrixStoreToDescriptor(c.__handle, result, 0, 64, MatrixLayout::MulOptimal, 128);
  // WRONG-DAG: SPIR-V does not have atomic sums of 'int16_t'
  Matrix<ComponentType::I16, 16, 16, MatrixUse::Accumulator, MatrixScope::Wave> whole;
  whole = whole.Splat(1);
  whole.InterlockedAccumulate(result, 0, 32, MatrixLayout::RowMajor);
  // WRONG-DAG: SPIR-V does not have an identity of 256 x 256 'half' in 32 KiB of groupshared memory
  Matrix<ComponentType::F32, 256, 256, MatrixUse::Accumulator, MatrixScope::ThreadGroup> sum;
  sum = sum.Splat(0);
  Matrix<ComponentType::F16, 256, 256, MatrixUse::A, MatrixScope::ThreadGroup> huge;
  huge = huge.Splat(1);
  sum.Accumulate(huge);
}
#endif

#ifdef MISMATCH
groupshared float floats[256];
[numthreads(32, 1, 1)] void wrong() {
  // MISMATCH: no matching member function for call to 'A::Load'
  A a = A::Load(floats, 0, 16, MatrixLayout::RowMajor);
}
#endif

#ifdef LIBRARY
// LIBRARY: OpEntryPoint GLCompute {{%[a-z0-9_]+}} "numbered"
// LIBRARY: OpEntryPoint RayGenerationKHR {{%[a-z0-9_]+}} "generate"
// LIBRARY: OpControlBarrier %uint_2 %uint_2 %uint_264
// LIBRARY-NOT: OpControlBarrier
[shader("compute")] [numthreads(32, 1, 1)] void numbered() {
  C c = C::Splat(1);
  c.Set(0, c.GetCoordinate(0).x);
  c.Store(result, 0, 64, MatrixLayout::RowMajor);
}
[shader("raygeneration")] void generate() { result.Store(0, 1); }
#endif
