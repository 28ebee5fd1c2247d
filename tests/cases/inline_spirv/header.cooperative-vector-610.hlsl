// RUN: -T cs_6_10 -E main -fspv-target-env=vulkan1.3 -enable-16bit-types header.cooperative-vector-610.hlsl
// RUN: -T cs_6_10 -E main -fspv-target-env=vulkan1.2 -enable-16bit-types -O0 header.cooperative-vector-610.hlsl
// RUN: -T cs_6_10 -E main -fspv-target-env=vulkan1.3 -enable-16bit-types -Zi -fspv-debug=vulkan-with-source header.cooperative-vector-610.hlsl
// RUN: not -T cs_6_10 -E wrong -fspv-target-env=vulkan1.3 -enable-16bit-types -DWRONG header.cooperative-vector-610.hlsl --check-prefix=WRONG

// The interface of shader model 6.10.
#include <dx/linalg.h>

using namespace dx::linalg;

ByteAddressBuffer model;
RWByteAddressBuffer sums;

// CHECK-DAG: OpCapability CooperativeVectorNV
// CHECK-DAG: OpCapability CooperativeVectorTrainingNV
// CHECK-DAG: [[v8:%[0-9]+]] = OpTypeVectorIdEXT %half %uint_8
[numthreads(32, 1, 1)] void main(uint i : SV_DispatchThreadID) {
  using Plain = Matrix<ComponentType::F16, 8, 16, MatrixUse::A, MatrixScope::Thread>;
  using Small = Matrix<ComponentType::F8_E4M3FN, 8, 16, MatrixUse::A, MatrixScope::Thread>;
  using Whole = Matrix<ComponentType::I8, 8, 16, MatrixUse::A, MatrixScope::Thread>;
  vector<half, 16> v = model.Load<vector<half, 16> >(1024 + i * 32);
  VectorRef<ComponentType::F16, 8> bias = {model, 512};
  Plain plain = Plain::Load<MatrixLayout::RowMajor>(model, 64, 32);
  // CHECK: OpCooperativeVectorMatrixMulNV [[v8]] {{%[0-9]+}} %uint_0 {{%[0-9]+}} %uint_64 %uint_0 %uint_8 %uint_16 %uint_0 %false %uint_32
  vector<half, 8> r = Multiply<half>(plain, v);
  // CHECK: OpCooperativeVectorMatrixMulAddNV [[v8]] {{%[0-9]+}} %uint_0 {{%[0-9]+}} %uint_64 %uint_0 {{%[0-9]+}} %uint_512 %uint_0 %uint_8 %uint_16 %uint_0 %false %uint_32
  r += MultiplyAdd<half>(plain, v, bias);
  // CHECK: OpCooperativeVectorMatrixMulNV [[v8]]
  // CHECK: OpFAdd %half
  r = MultiplyAdd<half>(plain, v, r);
  // CHECK: OpCooperativeVectorMatrixMulAddNV [[v8]] {{%[0-9]+}} %uint_1000491002 {{%[0-9]+}} %uint_4096 %uint_1000491002 {{%[0-9]+}} %uint_512 %uint_0 %uint_8 %uint_16 %uint_2 %true %uint_0
  Small small = Small::Load<MatrixLayout::MulOptimalTranspose>(model, 4096, 0);
  r += MultiplyAdd<half>(small, Convert<ComponentType::F8_E4M3FN, ComponentType::F16>(v), bias);
  // CHECK: OpCooperativeVectorMatrixMulNV {{%[0-9]+}} {{%[0-9]+}} %uint_1000491000 {{%[0-9]+}} %uint_0 %uint_3 %uint_8 %uint_16 %uint_1 %false %uint_16 MatrixResultSignedComponentsKHR
  Whole whole = Whole::Load<MatrixLayout::ColMajor>(model, 0, 16);
  sums.Store(0, Multiply<int>(whole, MakeInterpretedVector<ComponentType::I8>(model.Load4(0))));
  // CHECK: OpCooperativeVectorOuterProductAccumulateNV {{%[0-9]+}} %uint_8192 {{%[0-9]+}} {{%[0-9]+}} %uint_3 %uint_1
  OuterProduct<ComponentType::F32>(v, r).InterlockedAccumulate(sums, 8192);
  // CHECK: OpCooperativeVectorReduceSumAccumulateNV {{%[0-9]+}} %uint_1024
  InterlockedAccumulate(sums, 1024, r);
}

#ifdef WRONG
[numthreads(32, 1, 1)] void wrong() {
  // WRONG-DAG: static_assert failed "<dx/linalg.h> has matrices of MatrixScope::Thread: use <vk/khr/cooperative_matrix.h> for those of a wave"
  Matrix<ComponentType::F16, 8, 16, MatrixUse::A, MatrixScope::Wave> shared;
  // WRONG-DAG: static_assert failed "a matrix of MatrixScope::Thread is of MatrixUse::A or MatrixUse::Accumulator"
  Matrix<ComponentType::F16, 8, 16, MatrixUse::B, MatrixScope::Thread> second;
  using Small = Matrix<ComponentType::F8_E5M2, 8, 8, MatrixUse::A, MatrixScope::Thread>;
  // WRONG-DAG: static_assert failed "a matrix of 8-bit floats is in an optimal layout"
  Small small = Small::Load<MatrixLayout::RowMajor>(model, 0, 16);
  using Brief = Matrix<ComponentType::BFloat16, 8, 8, MatrixUse::A, MatrixScope::Thread>;
  Brief brief = Brief::Load<MatrixLayout::MulOptimal>(model, 0, 16);
  vector<half, 8> v = 1;
  // WRONG-DAG: static_assert failed "SPV_NV_cooperative_vector has no BFloat16"
  Multiply<half>(brief, v);
  // WRONG-DAG: static_assert failed "the vector has as many components as the matrix has columns"
  vector<half, 4> w = 1;
  Multiply<half>(Matrix<ComponentType::F16, 8, 8, MatrixUse::A, MatrixScope::Thread>::Load<MatrixLayout::RowMajor>(model, 0, 16),
                 MakeInterpretedVector<ComponentType::F16>(w));
  // WRONG-DAG: static_assert failed "OuterProduct takes vectors of 16-bit floats, which -enable-16bit-types has"
  vector<float, 8> f = 1;
  OuterProduct<ComponentType::F32>(f, f);
}
#endif
