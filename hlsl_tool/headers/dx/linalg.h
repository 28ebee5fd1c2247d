// dx::linalg: products of matrices in buffers with vectors, as SPV_NV_cooperative_vector has them.  The interface is that
// of the HLSL specification's proposal 0031 (shader model 6.9), the instructions are those of the extension.

#ifndef HLSL_TOOL_DX_LINALG_H
#define HLSL_TOOL_DX_LINALG_H

#if __SPIRV_MAJOR_VERSION__ == 1 && __SPIRV_MINOR_VERSION__ < 5
#error <dx/linalg.h> requires a minimum of SPIR-V 1.5: use -fspv-target-env=vulkan1.2 or later
#endif
#if __HLSL_VERSION < 2021
#error <dx/linalg.h> requires HLSL 2021
#endif
#if __SHADER_TARGET_MAJOR == 6 && __SHADER_TARGET_MINOR < 9
#error <dx/linalg.h> requires shader model 6.9, which has long vectors
#endif

#include <type_traits>

namespace dx {
namespace linalg {

// What the numbers of a matrix or a vector are.
enum DataType {
  DATA_TYPE_SINT16 = 2,
  DATA_TYPE_UINT16 = 3,
  DATA_TYPE_SINT32 = 4,
  DATA_TYPE_UINT32 = 5,
  DATA_TYPE_FLOAT16 = 8,
  DATA_TYPE_FLOAT32 = 9,
  DATA_TYPE_SINT8_T4_PACKED = 17,
  DATA_TYPE_UINT8_T4_PACKED = 18,
  DATA_TYPE_UINT8 = 19,
  DATA_TYPE_SINT8 = 20,
  DATA_TYPE_FLOAT8_E4M3 = 21,
  DATA_TYPE_FLOAT8_E5M2 = 22,
};

// How a matrix lies in memory.
enum MatrixLayout {
  MATRIX_LAYOUT_ROW_MAJOR = 0,
  MATRIX_LAYOUT_COLUMN_MAJOR = 1,
  MATRIX_LAYOUT_MUL_OPTIMAL = 2,
  MATRIX_LAYOUT_OUTER_PRODUCT_OPTIMAL = 3,
};

namespace detail {

// The extension's number of a type.
template <DataType DT> struct Interpretation {
  static const uint value = DT == DATA_TYPE_FLOAT16           ? /* Float16NV */ 0
                            : DT == DATA_TYPE_FLOAT32         ? /* Float32NV */ 1
                            : DT == DATA_TYPE_SINT8           ? /* SignedInt8NV */ 3
                            : DT == DATA_TYPE_SINT16          ? /* SignedInt16NV */ 4
                            : DT == DATA_TYPE_SINT32          ? /* SignedInt32NV */ 5
                            : DT == DATA_TYPE_UINT8           ? /* UnsignedInt8NV */ 7
                            : DT == DATA_TYPE_UINT16          ? /* UnsignedInt16NV */ 8
                            : DT == DATA_TYPE_UINT32          ? /* UnsignedInt32NV */ 9
                            : DT == DATA_TYPE_SINT8_T4_PACKED ? /* SignedInt8PackedNV */ 1000491000
                            : DT == DATA_TYPE_UINT8_T4_PACKED ? /* UnsignedInt8PackedNV */ 1000491001
                            : DT == DATA_TYPE_FLOAT8_E4M3     ? /* FloatE4M3NV */ 1000491002
                            :                                 /* FloatE5M2NV */ 1000491003;
};

// Whether a vector fits a matrix of K columns, and whether the extension has the product.
template <typename T, int N, DataType InputDT, DataType MatrixDT, uint K, MatrixLayout ML, bool Transpose> struct Fits {
  static const bool isPacked = InputDT == DATA_TYPE_SINT8_T4_PACKED || InputDT == DATA_TYPE_UINT8_T4_PACKED;
  _Static_assert(isPacked || N == K, "the vector has as many components as the matrix has columns");
  _Static_assert(!isPacked || (hlsl::is_same<T, uint>::value && N * 4 >= K),
                 "four numbers of a packed vector are a uint, and the vector has as many as the matrix has columns");
  static const bool isOptimal = ML == MATRIX_LAYOUT_MUL_OPTIMAL || ML == MATRIX_LAYOUT_OUTER_PRODUCT_OPTIMAL;
  _Static_assert(!Transpose || isOptimal, "a matrix in the order of its rows or columns cannot be transposed");
  _Static_assert((MatrixDT != DATA_TYPE_FLOAT8_E4M3 && MatrixDT != DATA_TYPE_FLOAT8_E5M2) || isOptimal,
                 "a matrix of 8-bit floats is in an optimal layout");
  static const bool value = true;
};

template <typename T> struct IsFloat {
  static const bool value = T(1) / T(2) != T(0);
};

} // namespace detail

// A matrix of M rows and K columns in a byte-address buffer; Stride is from row to row or from column to column.
template <typename BufferTy, DataType DT, uint M, uint K, MatrixLayout ML, bool Transpose> struct MatrixRefImpl {
  BufferTy Buffer;
  uint StartOffset;
  uint Stride;
};

template <DataType DT, uint M, uint K, MatrixLayout ML, bool Transpose = false>
using MatrixRef = MatrixRefImpl<ByteAddressBuffer, DT, M, K, ML, Transpose>;

template <DataType DT, uint M, uint K, MatrixLayout ML, bool Transpose = false>
using RWMatrixRef = MatrixRefImpl<RWByteAddressBuffer, DT, M, K, ML, Transpose>;

// A vector in a byte-address buffer.
template <typename BufferTy, DataType DT> struct VectorRefImpl {
  BufferTy Buffer;
  uint StartOffset;
};

template <DataType DT> using VectorRef = VectorRefImpl<ByteAddressBuffer, DT>;
template <DataType DT> using RWVectorRef = VectorRefImpl<RWByteAddressBuffer, DT>;

// A vector whose components are converted to another type before they are multiplied; those of a packed type are bits.
template <typename T, int N, DataType DT> struct InterpretedVector {
  vector<T, N> Data;
};

template <DataType DT, typename T, int N> InterpretedVector<T, N, DT> MakeInterpretedVector(vector<T, N> Vec) {
  InterpretedVector<T, N, DT> result = {Vec};
  return result;
}

// matrix * vector.
template <typename OutputElTy, typename InputElTy, int InputElCount, typename MatrixBufferTy, DataType InputDT,
          DataType MatrixDT, uint M, uint K, MatrixLayout ML, bool Transpose>
vector<OutputElTy, M> Mul(MatrixRefImpl<MatrixBufferTy, MatrixDT, M, K, ML, Transpose> Matrix,
                          InterpretedVector<InputElTy, InputElCount, InputDT> InputVector) {
  _Static_assert(detail::Fits<InputElTy, InputElCount, InputDT, MatrixDT, K, ML, Transpose>::value, "");
  vector<OutputElTy, M> result;
  __builtin_spv_CooperativeVectorMatrixMulNV(result, InputVector.Data, Matrix.Buffer, Matrix.StartOffset, Matrix.Stride,
                                             detail::Interpretation<InputDT>::value,
                                             detail::Interpretation<MatrixDT>::value, K, (uint)ML, Transpose);
  return result;
}

// matrix * vector + bias.
template <typename OutputElTy, typename InputElTy, int InputElCount, typename MatrixBufferTy, DataType InputDT,
          DataType MatrixDT, uint M, uint K, MatrixLayout ML, bool Transpose, typename BiasBufferTy, DataType BiasDT>
vector<OutputElTy, M> MulAdd(MatrixRefImpl<MatrixBufferTy, MatrixDT, M, K, ML, Transpose> Matrix,
                             InterpretedVector<InputElTy, InputElCount, InputDT> InputVector,
                             VectorRefImpl<BiasBufferTy, BiasDT> BiasVector) {
  _Static_assert(detail::Fits<InputElTy, InputElCount, InputDT, MatrixDT, K, ML, Transpose>::value, "");
  vector<OutputElTy, M> result;
  __builtin_spv_CooperativeVectorMatrixMulAddNV(
      result, InputVector.Data, Matrix.Buffer, Matrix.StartOffset, BiasVector.Buffer, BiasVector.StartOffset,
      detail::Interpretation<BiasDT>::value, Matrix.Stride, detail::Interpretation<InputDT>::value,
      detail::Interpretation<MatrixDT>::value, K, (uint)ML, Transpose);
  return result;
}

// matrix += column * transposed row, atomically in every component.
template <typename ElTy, int M, int N, DataType DT, uint Rows, uint Columns, MatrixLayout ML>
void OuterProductAccumulate(vector<ElTy, M> InputVector1, vector<ElTy, N> InputVector2,
                            MatrixRefImpl<RWByteAddressBuffer, DT, Rows, Columns, ML, false> Matrix) {
  _Static_assert(M == Rows && N == Columns, "the matrix has as many rows and columns as the vectors have components");
  _Static_assert(ML == MATRIX_LAYOUT_OUTER_PRODUCT_OPTIMAL,
                 "OuterProductAccumulate takes a matrix of MATRIX_LAYOUT_OUTER_PRODUCT_OPTIMAL");
  _Static_assert(DT == DATA_TYPE_FLOAT16 || DT == DATA_TYPE_FLOAT32,
                 "OuterProductAccumulate takes a matrix of DATA_TYPE_FLOAT16 or DATA_TYPE_FLOAT32");
  _Static_assert(detail::IsFloat<ElTy>::value && sizeof(ElTy) == 2,
                 "OuterProductAccumulate takes vectors of 16-bit floats, which -enable-16bit-types has");
  __builtin_spv_CooperativeVectorOuterProductAccumulateNV(InputVector1, InputVector2, Matrix.Buffer, Matrix.StartOffset,
                                                          Matrix.Stride, (uint)ML, detail::Interpretation<DT>::value);
}

// The vector in the buffer += the vector, atomically in every component.
template <typename ElTy, int N>
void VectorAccumulate(vector<ElTy, N> InputVector, RWByteAddressBuffer Buffer, uint Offset) {
  _Static_assert(detail::IsFloat<ElTy>::value && sizeof(ElTy) <= 4,
                 "VectorAccumulate takes a vector of 16-bit or 32-bit floats");
  __builtin_spv_CooperativeVectorReduceSumAccumulateNV(InputVector, Buffer, Offset);
}

} // namespace linalg
} // namespace dx

#endif
