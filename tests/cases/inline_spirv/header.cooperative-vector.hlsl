// RUN: -T cs_6_9 -E main -fspv-target-env=vulkan1.3 -enable-16bit-types header.cooperative-vector.hlsl
// RUN: -T cs_6_9 -E main -fspv-target-env=vulkan1.2 -enable-16bit-types -O0 header.cooperative-vector.hlsl
// RUN: -T cs_6_9 -E main -fspv-target-env=vulkan1.3 -enable-16bit-types -fcgl header.cooperative-vector.hlsl
// RUN: -T cs_6_9 -E main -fspv-target-env=vulkan1.3 -enable-16bit-types -Zi -fspv-debug=vulkan-with-source header.cooperative-vector.hlsl
// RUN: -T cs_6_9 -E networks -fspv-target-env=vulkan1.3 -enable-16bit-types header.cooperative-vector.hlsl --check-prefix=NETWORK
// RUN: not -T cs_6_9 -E main -fspv-target-env=vulkan1.1spirv1.4 -enable-16bit-types header.cooperative-vector.hlsl --check-prefix=OLD
// RUN: not -T cs_6_8 -E main -fspv-target-env=vulkan1.3 -enable-16bit-types header.cooperative-vector.hlsl --check-prefix=MODEL
// RUN: not -T cs_6_9 -E main -fspv-target-env=vulkan1.3 -enable-16bit-types -fspv-extension=KHR header.cooperative-vector.hlsl --check-prefix=REFUSED
// RUN: not -T cs_6_9 -E wrong -fspv-target-env=vulkan1.3 -enable-16bit-types -DWRONG header.cooperative-vector.hlsl --check-prefix=WRONG

// OLD: error: <dx/linalg.h> requires a minimum of SPIR-V 1.5: use -fspv-target-env=vulkan1.2 or later
// MODEL: error: <dx/linalg.h> requires shader model 6.9, which has long vectors
// REFUSED: error: SPIR-V extension 'SPV_NV_cooperative_vector' required for dx::linalg but not permitted to use
#include <dx/linalg.h>

using namespace dx::linalg;

ByteAddressBuffer model;
RWByteAddressBuffer sums;

// CHECK-DAG: OpCapability CooperativeVectorNV
// CHECK-DAG: OpCapability CooperativeVectorTrainingNV
// CHECK-DAG: OpCapability VulkanMemoryModel
// CHECK-DAG: OpExtension "SPV_NV_cooperative_vector"
// CHECK-DAG: OpMemoryModel Logical Vulkan
// CHECK-DAG: [[v16:%[0-9]+]] = OpTypeVectorIdEXT %half %uint_16
// CHECK-DAG: [[v8:%[0-9]+]] = OpTypeVectorIdEXT %half %uint_8
// CHECK: %main = OpFunction
[numthreads(1, 1, 1)] void main() {
  vector<half, 16> v = model.Load<vector<half, 16> >(1024);
  MatrixRef<DATA_TYPE_FLOAT16, 8, 16, MATRIX_LAYOUT_ROW_MAJOR> m = {model, 0, 32};
  VectorRef<DATA_TYPE_FLOAT16> bias = {model, 512};
  // CHECK-DAG: OpAccessChain %_ptr_StorageBuffer__runtimearr_uint {{%[a-z0-9_]+}} %uint_0
  // CHECK-DAG: OpCompositeConstruct [[v16]]
  // CHECK-DAG: OpCooperativeVectorMatrixMulNV [[v8]] {{%[0-9]+}} %uint_0 {{%[0-9]+}} {{%[a-z0-9_]+}} %uint_0 %uint_8 %uint_16 %uint_0 %false
  vector<half, 8> r = Mul<half>(m, MakeInterpretedVector<DATA_TYPE_FLOAT16>(v));
  // CHECK-DAG: OpCooperativeVectorMatrixMulAddNV [[v8]] {{%[0-9]+}} %uint_0 {{%[0-9]+}} {{%[a-z0-9_]+}} %uint_0 {{%[0-9]+}} {{%[a-z0-9_]+}} %uint_0 %uint_8 %uint_16 %uint_0 %false
  r += MulAdd<half>(m, MakeInterpretedVector<DATA_TYPE_FLOAT16>(v), bias);
  RWMatrixRef<DATA_TYPE_FLOAT16, 16, 8, MATRIX_LAYOUT_OUTER_PRODUCT_OPTIMAL> products = {sums, 0, 0};
  // CHECK-DAG: OpCooperativeVectorOuterProductAccumulateNV {{%[0-9]+}} {{%[a-z0-9_]+}} {{%[0-9]+}} {{%[0-9]+}} %uint_3 %uint_0
  OuterProductAccumulate(v, r, products);
  // CHECK-DAG: OpCooperativeVectorReduceSumAccumulateNV {{%[0-9]+}} {{%[a-z0-9_]+}} {{%[0-9]+}}
  VectorAccumulate(r, sums, 1024);
}

// Matrices in structs, of one buffer of several, and numbers that are converted.
ByteAddressBuffer models[4];
struct Layer {
  MatrixRef<DATA_TYPE_FLOAT8_E4M3, 32, 32, MATRIX_LAYOUT_MUL_OPTIMAL, true> weights;
  VectorRef<DATA_TYPE_FLOAT16> bias;
};

vector<half, 32> apply(vector<half, 32> v, Layer layer) {
  return max(MulAdd<half>(layer.weights, MakeInterpretedVector<DATA_TYPE_FLOAT8_E4M3>(v), layer.bias), (half)0);
}

// NETWORK-NOT: CooperativeVectorTrainingNV
[numthreads(1, 1, 1)] void networks(uint id : SV_DispatchThreadID) {
  Layer first = {{models[1], 0, 0}, {models[1], id * 4}};
  Layer second = {{models[id & 3], 2048, 0}, {models[1], 64}};
  vector<half, 32> v = model.Load<vector<half, 32> >(0);
  // NETWORK-COUNT-2: OpCooperativeVectorMatrixMulAddNV {{%[0-9]+}} {{%[0-9]+}} %uint_1000491002 {{%[0-9]+}} {{%[a-z0-9_]+}} %uint_1000491002 {{%[0-9]+}} {{%[a-z0-9_]+}} %uint_0 %uint_32 %uint_32 %uint_2 %true
  sums.Store(0, apply(apply(v, first), second));
  RWMatrixRef<DATA_TYPE_SINT8, 4, 8, MATRIX_LAYOUT_ROW_MAJOR> m = {sums, 4096, 16};
  // NETWORK: OpCooperativeVectorMatrixMulNV {{%[0-9]+}} {{%[0-9]+}} %uint_1000491000 {{%[0-9]+}} %uint_4096 %uint_3 %uint_4 %uint_8 %uint_0 %false %uint_16 MatrixResultSignedComponentsKHR
  sums.Store(64, Mul<int>(m, MakeInterpretedVector<DATA_TYPE_SINT8_T4_PACKED>(model.Load2(64))));
  // NETWORK: OpCooperativeVectorMatrixMulNV {{%[0-9]+}} {{%[0-9]+}} %uint_3 {{%[0-9]+}} %uint_4096 %uint_3 %uint_4 %uint_8 %uint_0 %false %uint_16 MatrixBSignedComponentsKHR
  sums.Store(80, Mul<float>(m, MakeInterpretedVector<DATA_TYPE_SINT8>(model.Load<vector<int, 8> >(128))));
}

#ifdef WRONG
[numthreads(1, 1, 1)] void wrong() {
  vector<half, 8> v = 1;
  vector<half, 4> w = 1;
  MatrixRef<DATA_TYPE_FLOAT16, 8, 8, MATRIX_LAYOUT_ROW_MAJOR> m = {model, 0, 16};
  // WRONG: static_assert failed "the vector has as many components as the matrix has columns"
  Mul<half>(m, MakeInterpretedVector<DATA_TYPE_FLOAT16>(w));
  // WRONG: static_assert failed "four numbers of a packed vector are a uint, and the vector has as many as the matrix has columns"
  Mul<half>(m, MakeInterpretedVector<DATA_TYPE_UINT8_T4_PACKED>(v));
  MatrixRef<DATA_TYPE_FLOAT16, 8, 8, MATRIX_LAYOUT_ROW_MAJOR, true> t = {model, 0, 16};
  // WRONG: static_assert failed "a matrix in the order of its rows or columns cannot be transposed"
  Mul<half>(t, MakeInterpretedVector<DATA_TYPE_FLOAT16>(v));
  MatrixRef<DATA_TYPE_FLOAT8_E5M2, 8, 8, MATRIX_LAYOUT_COLUMN_MAJOR> e = {model, 0, 16};
  // WRONG: static_assert failed "a matrix of 8-bit floats is in an optimal layout"
  Mul<half>(e, MakeInterpretedVector<DATA_TYPE_FLOAT8_E5M2>(v));
  RWMatrixRef<DATA_TYPE_FLOAT16, 8, 8, MATRIX_LAYOUT_OUTER_PRODUCT_OPTIMAL> products = {sums, 0, 0};
  // WRONG: static_assert failed "the matrix has as many rows and columns as the vectors have components"
  OuterProductAccumulate(v, w, products);
  RWMatrixRef<DATA_TYPE_FLOAT16, 8, 8, MATRIX_LAYOUT_ROW_MAJOR> rows = {sums, 0, 16};
  // WRONG: static_assert failed "OuterProductAccumulate takes a matrix of MATRIX_LAYOUT_OUTER_PRODUCT_OPTIMAL"
  OuterProductAccumulate(v, v, rows);
  RWMatrixRef<DATA_TYPE_SINT16, 8, 8, MATRIX_LAYOUT_OUTER_PRODUCT_OPTIMAL> whole = {sums, 0, 0};
  // WRONG: static_assert failed "OuterProductAccumulate takes a matrix of DATA_TYPE_FLOAT16 or DATA_TYPE_FLOAT32"
  OuterProductAccumulate(v, v, whole);
  vector<float, 8> f = 1;
  // WRONG: static_assert failed "OuterProductAccumulate takes vectors of 16-bit floats, which -enable-16bit-types has"
  OuterProductAccumulate(f, f, products);
  vector<int, 8> i = 1;
  // WRONG: static_assert failed "VectorAccumulate takes a vector of 16-bit or 32-bit floats"
  VectorAccumulate(i, sums, 0);
}
#endif
