// dx::linalg: products of matrices in buffers with vectors, as SPV_NV_cooperative_vector has them.  The interface is that
// of the HLSL specification's proposal 0031 (shader model 6.9) or 0035 (6.10), the instructions are those of the extension.

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

namespace detail {

template <typename T> struct IsFloat {
  static const bool value = T(1) / T(2) != T(0);
};

} // namespace detail

#if __SHADER_TARGET_MAJOR == 6 && __SHADER_TARGET_MINOR < 10

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


#else

// What the numbers of a matrix or a vector are.
struct ComponentType {
  enum ComponentEnum {
    I16 = 2,
    U16 = 3,
    I32 = 4,
    U32 = 5,
    I64 = 6,
    U64 = 7,
    F16 = 8,
    F32 = 9,
    F64 = 10,
    I8 = 19,
    U8 = 20,
    F8_E4M3FN = 21,
    F8_E5M2 = 22,
    BFloat16 = 23,
  };
};
using ComponentEnum = ComponentType::ComponentEnum;

// What a matrix is for.
struct MatrixUse {
  enum MatrixUseEnum { A = 0, B = 1, Accumulator = 2 };
};
using MatrixUseEnum = MatrixUse::MatrixUseEnum;

// Which threads hold a matrix together.
struct MatrixScope {
  enum MatrixScopeEnum { Thread = 0, Wave = 1, ThreadGroup = 2 };
};
using MatrixScopeEnum = MatrixScope::MatrixScopeEnum;

// How a matrix lies in memory.
struct MatrixLayout {
  enum MatrixLayoutEnum {
    RowMajor = 0,
    ColMajor = 1,
    MulOptimal = 2,
    MulOptimalTranspose = 3,
    OuterProductOptimal = 4,
    OuterProductOptimalTranspose = 5,
  };
};
using MatrixLayoutEnum = MatrixLayout::MatrixLayoutEnum;

namespace detail {

// The extension's number of a type.
template <ComponentEnum CT> struct Interpretation {
  _Static_assert(CT != ComponentType::BFloat16, "SPV_NV_cooperative_vector has no BFloat16");
  static const uint value = CT == ComponentType::F16         ? /* Float16NV */ 0
                            : CT == ComponentType::F32       ? /* Float32NV */ 1
                            : CT == ComponentType::F64       ? /* Float64NV */ 2
                            : CT == ComponentType::I8        ? /* SignedInt8NV */ 3
                            : CT == ComponentType::I16       ? /* SignedInt16NV */ 4
                            : CT == ComponentType::I32       ? /* SignedInt32NV */ 5
                            : CT == ComponentType::I64       ? /* SignedInt64NV */ 6
                            : CT == ComponentType::U8        ? /* UnsignedInt8NV */ 7
                            : CT == ComponentType::U16       ? /* UnsignedInt16NV */ 8
                            : CT == ComponentType::U32       ? /* UnsignedInt32NV */ 9
                            : CT == ComponentType::U64       ? /* UnsignedInt64NV */ 10
                            : CT == ComponentType::F8_E4M3FN ? /* FloatE4M3NV */ 1000491002
                                                             : /* FloatE5M2NV */ 1000491003;
};

// The same for a vector of N components that a matrix of K columns multiplies; four integers of 8 bits may be a uint.
template <typename T, uint N, ComponentEnum CT, uint K> struct OfVector {
  static const bool isPacked =
      N < K && hlsl::is_same<T, uint>::value && (CT == ComponentType::I8 || CT == ComponentType::U8);
  _Static_assert(N == K || (isPacked && N * 4 >= K), "the vector has as many components as the matrix has columns");
  static const uint value = !isPacked                 ? Interpretation<CT>::value
                            : CT == ComponentType::I8 ? /* SignedInt8PackedNV */ 1000491000
                                                      : /* UnsignedInt8PackedNV */ 1000491001;
};

} // namespace detail

// A vector in a byte-address buffer.
template <ComponentEnum ElementType, uint DimA> struct VectorRef {
  ByteAddressBuffer Buf;
  uint Offset;
};

// A vector whose components are converted to another type before they are multiplied.
template <typename T, int N, ComponentEnum DT> struct InterpretedVector {
  vector<T, N> Data;
};

template <ComponentEnum DT, typename T, int N> InterpretedVector<T, N, DT> MakeInterpretedVector(vector<T, N> Vec) {
  InterpretedVector<T, N, DT> result = {Vec};
  return result;
}

// The product does the conversion.
template <ComponentEnum DestTy, ComponentEnum OriginTy, typename T, int N>
InterpretedVector<T, N, DestTy> Convert(vector<T, N> Vec) {
  InterpretedVector<T, N, DestTy> result = {Vec};
  return result;
}

// A matrix; only those of one thread are here.
template <ComponentEnum ComponentTy, uint M, uint N, MatrixUseEnum Use, MatrixScopeEnum Scope> class Matrix {
  _Static_assert(Scope == MatrixScope::Thread,
                 "<dx/linalg.h> has matrices of MatrixScope::Thread: use <vk/khr/cooperative_matrix.h> for those of a wave");
  _Static_assert(Scope != MatrixScope::Thread || Use != MatrixUse::B,
                 "a matrix of MatrixScope::Thread is of MatrixUse::A or MatrixUse::Accumulator");
};

// A matrix that multiplies vectors: a place in a buffer.
template <ComponentEnum ComponentTy, uint M, uint N>
class Matrix<ComponentTy, M, N, MatrixUse::A, MatrixScope::Thread> {
  ByteAddressBuffer _buffer;
  uint _offset;
  uint _stride;
  uint _layout;
  bool _transpose;

  template <uint Layout, bool Transpose> static Matrix _At(ByteAddressBuffer buffer, uint offset, uint stride) {
    Matrix result;
    result._buffer = buffer;
    result._offset = offset;
    result._stride = stride;
    result._layout = Layout;
    result._transpose = Transpose;
    return result;
  }

  template <MatrixLayoutEnum Layout, uint Align = 128>
  static Matrix Load(ByteAddressBuffer Res, uint StartOffset, uint Stride) {
    _Static_assert((ComponentTy != ComponentType::F8_E4M3FN && ComponentTy != ComponentType::F8_E5M2) ||
                       Layout >= MatrixLayout::MulOptimal,
                   "a matrix of 8-bit floats is in an optimal layout");
    return _At<(Layout < MatrixLayout::MulOptimal            ? (uint)Layout
                : Layout < MatrixLayout::OuterProductOptimal ? /* InferencingOptimalNV */ 2
                                                             : /* TrainingOptimalNV */ 3),
               (Layout == MatrixLayout::MulOptimalTranspose || Layout == MatrixLayout::OuterProductOptimalTranspose)>(
        Res, StartOffset, Stride);
  }
};

// The outer product of two vectors, which is added to a matrix in a buffer.
template <ComponentEnum ComponentTy, uint M, uint N>
class Matrix<ComponentTy, M, N, MatrixUse::Accumulator, MatrixScope::Thread> {
  vector<half, M> _column;
  vector<half, N> _row;

  template <uint Align = 128> void InterlockedAccumulate(RWByteAddressBuffer Res, uint StartOffset) {
    __builtin_spv_CooperativeVectorOuterProductAccumulateNV(_column, _row, Res, StartOffset, 0,
                                                            /* TrainingOptimalNV */ 3,
                                                            detail::Interpretation<ComponentTy>::value);
  }
};

// matrix * vector.
template <typename OutputElTy, typename InputElTy, ComponentEnum InputInterp, uint M, uint K, int VecK,
          ComponentEnum MatrixDT>
vector<OutputElTy, M> Multiply(Matrix<MatrixDT, M, K, MatrixUse::A, MatrixScope::Thread> MatrixA,
                               InterpretedVector<InputElTy, VecK, InputInterp> InterpVec) {
  vector<OutputElTy, M> result;
  __builtin_spv_CooperativeVectorMatrixMulNV(result, InterpVec.Data, MatrixA._buffer, MatrixA._offset, MatrixA._stride,
                                             detail::OfVector<InputElTy, VecK, InputInterp, K>::value,
                                             detail::Interpretation<MatrixDT>::value, K, MatrixA._layout,
                                             MatrixA._transpose);
  return result;
}

template <typename OutputElTy, typename InputElTy, uint M, uint K, ComponentEnum MatrixDT>
vector<OutputElTy, M> Multiply(Matrix<MatrixDT, M, K, MatrixUse::A, MatrixScope::Thread> MatrixA,
                               vector<InputElTy, K> Vec) {
  return Multiply<OutputElTy>(MatrixA, MakeInterpretedVector<MatrixDT>(Vec));
}

// matrix * vector + bias; the bias is a vector or lies in a buffer.
template <typename OutputElTy, typename InputElTy, ComponentEnum InputInterp, typename BiasElTy, uint M, uint K,
          int VecK, ComponentEnum MatrixDT>
vector<OutputElTy, M> MultiplyAdd(Matrix<MatrixDT, M, K, MatrixUse::A, MatrixScope::Thread> MatrixA,
                                  InterpretedVector<InputElTy, VecK, InputInterp> InterpVec,
                                  vector<BiasElTy, M> Bias) {
  return Multiply<OutputElTy>(MatrixA, InterpVec) + (vector<OutputElTy, M>)Bias;
}

template <typename OutputElTy, typename InputElTy, typename BiasElTy, uint M, uint K, ComponentEnum MatrixDT>
vector<OutputElTy, M> MultiplyAdd(Matrix<MatrixDT, M, K, MatrixUse::A, MatrixScope::Thread> MatrixA,
                                  vector<InputElTy, K> Vec, vector<BiasElTy, M> Bias) {
  return Multiply<OutputElTy>(MatrixA, MakeInterpretedVector<MatrixDT>(Vec)) + (vector<OutputElTy, M>)Bias;
}

template <typename OutputElTy, typename InputElTy, ComponentEnum InputInterp, ComponentEnum BiasElTy, uint M, uint K,
          int VecK, ComponentEnum MatrixDT>
vector<OutputElTy, M> MultiplyAdd(Matrix<MatrixDT, M, K, MatrixUse::A, MatrixScope::Thread> MatrixA,
                                  InterpretedVector<InputElTy, VecK, InputInterp> InterpVec,
                                  VectorRef<BiasElTy, M> BiasRef) {
  vector<OutputElTy, M> result;
  __builtin_spv_CooperativeVectorMatrixMulAddNV(
      result, InterpVec.Data, MatrixA._buffer, MatrixA._offset, BiasRef.Buf, BiasRef.Offset,
      detail::Interpretation<BiasElTy>::value, MatrixA._stride,
      detail::OfVector<InputElTy, VecK, InputInterp, K>::value, detail::Interpretation<MatrixDT>::value, K,
      MatrixA._layout, MatrixA._transpose);
  return result;
}

template <typename OutputElTy, typename InputElTy, ComponentEnum BiasElTy, uint M, uint K, ComponentEnum MatrixDT>
vector<OutputElTy, M> MultiplyAdd(Matrix<MatrixDT, M, K, MatrixUse::A, MatrixScope::Thread> MatrixA,
                                  vector<InputElTy, K> Vec, VectorRef<BiasElTy, M> BiasRef) {
  return MultiplyAdd<OutputElTy>(MatrixA, MakeInterpretedVector<MatrixDT>(Vec), BiasRef);
}

// column * transposed row.
template <ComponentEnum OutTy, typename InputElTy, uint M, uint N>
Matrix<OutTy, M, N, MatrixUse::Accumulator, MatrixScope::Thread> OuterProduct(vector<InputElTy, M> VecA,
                                                                             vector<InputElTy, N> VecB) {
  _Static_assert(OutTy == ComponentType::F16 || OutTy == ComponentType::F32,
                 "OuterProduct gives a matrix of ComponentType::F16 or F32");
  _Static_assert(detail::IsFloat<InputElTy>::value && sizeof(InputElTy) == 2,
                 "OuterProduct takes vectors of 16-bit floats, which -enable-16bit-types has");
  Matrix<OutTy, M, N, MatrixUse::Accumulator, MatrixScope::Thread> result;
  result._column = VecA;
  result._row = VecB;
  return result;
}

// The vector in the buffer += the vector, atomically in every component.
template <uint Align = 64, typename InputElTy, uint M>
void InterlockedAccumulate(RWByteAddressBuffer Res, uint StartOffset, vector<InputElTy, M> Vec) {
  _Static_assert(detail::IsFloat<InputElTy>::value && sizeof(InputElTy) <= 4,
                 "InterlockedAccumulate takes a vector of 16-bit or 32-bit floats");
  __builtin_spv_CooperativeVectorReduceSumAccumulateNV(Vec, Res, StartOffset);
}

#endif

} // namespace linalg
} // namespace dx

#endif
