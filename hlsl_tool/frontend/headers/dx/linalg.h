// dx::linalg: linear algebra.  The interface is that of the HLSL specification's proposal 0031 (shader model 6.9) or
// 0035 (6.10).  Matrices in buffers, which single threads multiply by vectors, are those of SPV_NV_cooperative_vector,
// matrices of a wave or a thread group those of SPV_KHR_cooperative_matrix.

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

#include <enable_if>
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

#pragma dxc diagnostic push
#pragma dxc diagnostic ignored "-Whlsl-groupshared-202x"

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


// The type that holds components: the type itself, or a uint with several.
template <ComponentEnum CT> struct Component {
  using Type = uint;
  static const uint perScalar = CT == ComponentType::BFloat16 ? 2 : 4;
};

// The component that is a type.
template <typename T> struct ComponentOf {
  static const ComponentEnum value = (ComponentEnum)0;
};

#define HLSL_TOOL_COMPONENT(CT, T)                                                                                     \
  template <> struct Component<ComponentType::CT> {                                                                    \
    using Type = T;                                                                                                    \
    static const uint perScalar = 1;                                                                                   \
  };                                                                                                                   \
  template <> struct ComponentOf<T> {                                                                                  \
    static const ComponentEnum value = ComponentType::CT;                                                              \
  };

#if __HLSL_ENABLE_16_BIT
HLSL_TOOL_COMPONENT(I16, int16_t)
HLSL_TOOL_COMPONENT(U16, uint16_t)
HLSL_TOOL_COMPONENT(F16, float16_t)
#endif
HLSL_TOOL_COMPONENT(I32, int)
HLSL_TOOL_COMPONENT(U32, uint)
HLSL_TOOL_COMPONENT(F32, float)
HLSL_TOOL_COMPONENT(I64, int64_t)
HLSL_TOOL_COMPONENT(U64, uint64_t)
HLSL_TOOL_COMPONENT(F64, double)

#undef HLSL_TOOL_COMPONENT

// The extension's number of a vector of N components that a matrix of K columns multiplies.  A uint may hold several.
template <typename T, uint N, ComponentEnum CT, uint K> struct OfVector {
  static const uint perScalar = Component<CT>::perScalar;
  static const bool isPacked = N < K && hlsl::is_same<T, uint>::value;
  _Static_assert(N == K || (isPacked && N * perScalar >= K),
                 "the vector has as many components as the matrix has columns");
  static const uint value = !isPacked || perScalar < 4 || CT > ComponentType::U8 ? Interpretation<CT>::value
                            : CT == ComponentType::I8                           ? /* SignedInt8PackedNV */ 1000491000
                                                                                : /* UnsignedInt8PackedNV */ 1000491001;
};

// The size of a matrix of M rows and N columns, or of the transposed one.
template <uint M, uint N, bool Transpose> struct Size {
  static const uint rows = Transpose ? N : M;
  static const uint columns = Transpose ? M : N;
};

// How many scalars hold N scalars after a conversion.
template <ComponentEnum DestTy, ComponentEnum OriginTy, int N> struct Converted {
  static const int size =
      (N * Component<OriginTy>::perScalar + Component<DestTy>::perScalar - 1) / Component<DestTy>::perScalar;
};

// Whether a groupshared array of T can hold components that have the type ElementType: it is one, or holds bits.
template <typename T, typename ElementType> struct IsStorage {
  using Scalar = typename hlsl::strip_vector_type<T>::type;
  static const bool value = hlsl::is_same<Scalar, ElementType>::value || hlsl::is_same<Scalar, uint>::value ||
                            hlsl::is_same<Scalar, int>::value || hlsl::is_same<Scalar, uint8_t4_packed>::value ||
                            hlsl::is_same<Scalar, int8_t4_packed>::value;
};

// Whether T is a type of numbers that have sums: scalars or vectors, also of packed integers.
template <typename T> struct IsNumbers {
  using Scalar = typename hlsl::strip_vector_type<T>::type;
  static const bool value = hlsl::is_arithmetic<Scalar>::value || IsStorage<T, Scalar>::value;
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
  static const ComponentEnum Interpretation = DT;
  static const int Size = detail::Component<DT>::perScalar * N;
};

template <ComponentEnum DT, typename T, int N> InterpretedVector<T, N, DT> MakeInterpretedVector(vector<T, N> Vec) {
  InterpretedVector<T, N, DT> result = {Vec};
  return result;
}

// The vector with another component type; where a uint holds several components, there may be more than before.
template <ComponentEnum DestTy, ComponentEnum OriginTy, typename T, int N>
typename hlsl::enable_if<
    DestTy != OriginTy, InterpretedVector<typename detail::Component<DestTy>::Type,
                                          detail::Converted<DestTy, OriginTy, N>::size, DestTy> >::type
Convert(vector<T, N> Vec) {
  vector<typename detail::Component<DestTy>::Type, detail::Converted<DestTy, OriginTy, N>::size> result;
  __builtin_LinAlg_Convert(result, Vec, OriginTy, DestTy);
  return MakeInterpretedVector<DestTy>(result);
}

template <ComponentEnum DestTy, ComponentEnum OriginTy, typename T, int N>
typename hlsl::enable_if<DestTy == OriginTy, InterpretedVector<T, N, DestTy> >::type Convert(vector<T, N> Vec) {
  return MakeInterpretedVector<DestTy>(Vec);
}

// A matrix that a wave or a thread group holds.
template <ComponentEnum ComponentTy, uint M, uint N, MatrixUseEnum Use, MatrixScopeEnum Scope> class Matrix {
  _Static_assert(Scope != MatrixScope::Thread,
                 "a matrix of MatrixScope::Thread is of MatrixUse::A or MatrixUse::Accumulator");

  using ElementType = typename detail::Component<ComponentTy>::Type;
  static const bool IsNativeScalar = detail::Component<ComponentTy>::perScalar == 1;

  using HandleT = __builtin_LinAlgMatrix [[__LinAlgMatrix_Attributes(ComponentTy, M, N, Use, Scope)]];
  HandleT __handle;

  // The matrix, or the transposed one, with another component type or for another use.
  template <ComponentEnum NewCompTy, MatrixUseEnum NewUse = Use, bool Transpose = false>
  [[nodiscard]] Matrix<NewCompTy, detail::Size<M, N, Transpose>::rows, detail::Size<M, N, Transpose>::columns, NewUse,
                       Scope>
  Cast() {
    Matrix<NewCompTy, detail::Size<M, N, Transpose>::rows, detail::Size<M, N, Transpose>::columns, NewUse, Scope>
        result;
    __builtin_LinAlg_CopyConvertMatrix(result.__handle, __handle, Transpose);
    return result;
  }

  template <typename T>
  [[nodiscard]] static typename hlsl::enable_if<hlsl::is_arithmetic<T>::value, Matrix>::type Splat(T Val) {
    Matrix result;
    __builtin_LinAlg_FillMatrix(result.__handle, Val);
    return result;
  }

  // From and to a buffer: StartOffset and Stride are multiples of 16 bytes.
  template <uint Align = 128>
  [[nodiscard]] static Matrix Load(ByteAddressBuffer Res, uint StartOffset, uint Stride, MatrixLayoutEnum Layout) {
    Matrix result;
    __builtin_LinAlg_MatrixLoadFromDescriptor(result.__handle, Res, StartOffset, Stride, Layout, Align);
    return result;
  }

  template <uint Align = 128>
  [[nodiscard]] static Matrix Load(RWByteAddressBuffer Res, uint StartOffset, uint Stride, MatrixLayoutEnum Layout) {
    Matrix result;
    __builtin_LinAlg_MatrixLoadFromDescriptor(result.__handle, Res, StartOffset, Stride, Layout, Align);
    return result;
  }

  template <uint Align = 128>
  void Store(RWByteAddressBuffer Res, uint StartOffset, uint Stride, MatrixLayoutEnum Layout) {
    __builtin_LinAlg_MatrixStoreToDescriptor(__handle, Res, StartOffset, Stride, Layout, Align);
  }

  // From and to a groupshared array: StartIdx and Stride count components of the matrix.
  template <typename T, int Size>
  [[nodiscard]] static typename hlsl::enable_if<detail::IsStorage<T, ElementType>::value, Matrix>::type
  Load([[vk::ext_reference]] groupshared T Arr[Size], uint StartIdx, uint Stride, MatrixLayoutEnum Layout) {
    Matrix result;
    __builtin_LinAlg_MatrixLoadFromMemory(result.__handle, Arr, StartIdx, Stride, Layout);
    return result;
  }

  template <typename T, int Size>
  typename hlsl::enable_if<detail::IsStorage<T, ElementType>::value, void>::type
  Store([[vk::ext_reference]] groupshared T Arr[Size], uint StartIdx, uint Stride, MatrixLayoutEnum Layout) {
    __builtin_LinAlg_MatrixStoreToMemory(__handle, Arr, StartIdx, Stride, Layout);
  }

  // The elements that the current thread holds: how many, and the row, the column and the value of each.
  template <ComponentEnum LocalComp = ComponentTy>
  typename hlsl::enable_if<LocalComp == ComponentTy && IsNativeScalar, uint>::type Length() {
    return __builtin_LinAlg_MatrixLength(__handle);
  }

  template <ComponentEnum LocalComp = ComponentTy>
  typename hlsl::enable_if<LocalComp == ComponentTy && IsNativeScalar, uint2>::type GetCoordinate(uint Index) {
    return __builtin_LinAlg_MatrixGetCoordinate(__handle, Index);
  }

  template <ComponentEnum LocalComp = ComponentTy>
  typename hlsl::enable_if<LocalComp == ComponentTy && IsNativeScalar, ElementType>::type Get(uint Index) {
    ElementType result;
    __builtin_LinAlg_MatrixGetElement(result, __handle, Index);
    return result;
  }

  template <ComponentEnum LocalComp = ComponentTy>
  typename hlsl::enable_if<LocalComp == ComponentTy && IsNativeScalar, void>::type Set(uint Index, ElementType Value) {
    __builtin_LinAlg_MatrixSetElement(__handle, __handle, Index, Value);
  }

  // Memory += the matrix, atomically in every element.
  template <uint Align = 128, MatrixUseEnum UseLocal = Use>
  typename hlsl::enable_if<Use == MatrixUse::Accumulator && UseLocal == Use, void>::type
  InterlockedAccumulate(RWByteAddressBuffer Res, uint StartOffset, uint Stride, MatrixLayoutEnum Layout) {
    __builtin_LinAlg_MatrixAccumulateToDescriptor(__handle, Res, StartOffset, Stride, Layout, Align);
  }

  template <ComponentEnum TargetCompTy = ComponentTy, typename T, int Size>
  typename hlsl::enable_if<Use == MatrixUse::Accumulator && Scope == MatrixScope::Wave && detail::IsNumbers<T>::value,
                           void>::type
  InterlockedAccumulate([[vk::ext_reference]] groupshared T Arr[Size], uint StartIdx, uint Stride,
                        MatrixLayoutEnum Layout) {
    using Scalar = typename hlsl::strip_vector_type<T>::type;
    __builtin_LinAlg_MatrixAccumulateToMemory(
        __handle, Arr, (hlsl::is_arithmetic<Scalar>::value ? detail::ComponentOf<Scalar>::value : TargetCompTy),
        StartIdx, Stride, Layout);
  }

  // The matrix += another one, or the product of two.
  template <ComponentEnum CompTy, MatrixUseEnum UseLocal = Use>
  typename hlsl::enable_if<Use == MatrixUse::Accumulator && UseLocal == Use, void>::type
  Accumulate(const Matrix<CompTy, M, N, MatrixUse::A, Scope> MatrixA) {
    __builtin_LinAlg_MatrixAccumulate(__handle, __handle, MatrixA.__handle);
  }

  template <ComponentEnum CompTy, MatrixUseEnum UseLocal = Use>
  typename hlsl::enable_if<Use == MatrixUse::Accumulator && UseLocal == Use, void>::type
  Accumulate(const Matrix<CompTy, M, N, MatrixUse::B, Scope> MatrixB) {
    __builtin_LinAlg_MatrixAccumulate(__handle, __handle, MatrixB.__handle);
  }

  template <ComponentEnum LHSTy, ComponentEnum RHSTy, uint K, MatrixUseEnum UseLocal = Use>
  typename hlsl::enable_if<Use == MatrixUse::Accumulator && UseLocal == Use, void>::type
  MultiplyAccumulate(const Matrix<LHSTy, M, K, MatrixUse::A, Scope> MatrixA,
                     const Matrix<RHSTy, K, N, MatrixUse::B, Scope> MatrixB) {
    __builtin_LinAlg_MatrixMatrixMultiplyAccumulate(__handle, MatrixA.__handle, MatrixB.__handle, __handle);
  }
};

// The use whose layout accumulators have; SPIR-V does not tell it, and A is as good an answer as B.
MatrixUseEnum AccumulatorLayout() { return (MatrixUseEnum)__builtin_LinAlg_MatrixQueryAccumulatorLayout(); }

// matrix * matrix.
template <ComponentEnum OutTy, ComponentEnum ATy, ComponentEnum BTy, uint M, uint N, uint K, MatrixScopeEnum Scope>
[[nodiscard]] Matrix<OutTy, M, N, MatrixUse::Accumulator, Scope>
Multiply(const Matrix<ATy, M, K, MatrixUse::A, Scope> MatrixA, const Matrix<BTy, K, N, MatrixUse::B, Scope> MatrixB) {
  Matrix<OutTy, M, N, MatrixUse::Accumulator, Scope> result;
  __builtin_LinAlg_MatrixMatrixMultiply(result.__handle, MatrixA.__handle, MatrixB.__handle);
  return result;
}

template <ComponentEnum CompTy, uint M, uint N, uint K, MatrixScopeEnum Scope>
[[nodiscard]] Matrix<CompTy, M, N, MatrixUse::Accumulator, Scope>
Multiply(const Matrix<CompTy, M, K, MatrixUse::A, Scope> MatrixA,
         const Matrix<CompTy, K, N, MatrixUse::B, Scope> MatrixB) {
  Matrix<CompTy, M, N, MatrixUse::Accumulator, Scope> result;
  __builtin_LinAlg_MatrixMatrixMultiply(result.__handle, MatrixA.__handle, MatrixB.__handle);
  return result;
}

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
    _Static_assert(ComponentTy != ComponentType::BFloat16 || Layout < MatrixLayout::MulOptimal,
                   "SPV_NV_cooperative_vector has no BFloat16: a matrix of it is in the order of its rows or columns");
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

namespace detail {

// K floats of a vector: its components, or those that its scalars hold.
template <ComponentEnum CT, uint K, typename T, int N, bool IsPacked = N != K> struct Floats {
  static vector<float, K> Get(vector<T, N> v) { return (vector<float, K>)Convert<ComponentType::F32, CT>(v).Data; }
};

template <ComponentEnum CT, uint K, typename T, int N> struct Floats<CT, K, T, N, false> {
  static vector<float, K> Get(vector<T, N> v) { return (vector<float, K>)v; }
};

// What computes a product: the extension, plain code, or, for floats of 8 bits, what the layout allows.
enum Way { kExtension, kPlain, kEither };

template <ComponentEnum CT> struct WayOf {
  static const Way value = CT == ComponentType::BFloat16    ? kPlain
                           : CT >= ComponentType::F8_E4M3FN ? kEither
                                                            : kExtension;
};

template <ComponentEnum MatrixDT, Way By> struct Product {
  template <typename OutputElTy, uint M, uint K, typename T, int N, ComponentEnum CT>
  static vector<OutputElTy, M> Multiply(Matrix<MatrixDT, M, K, MatrixUse::A, MatrixScope::Thread> m,
                                        InterpretedVector<T, N, CT> v) {
    vector<OutputElTy, M> result;
    __builtin_spv_CooperativeVectorMatrixMulNV(result, v.Data, m._buffer, m._offset, m._stride,
                                               OfVector<T, N, CT, K>::value, Interpretation<MatrixDT>::value, K,
                                               m._layout, m._transpose);
    return result;
  }

  template <typename OutputElTy, uint M, uint K, typename T, int N, ComponentEnum CT, ComponentEnum BiasDT>
  static vector<OutputElTy, M> MultiplyAdd(Matrix<MatrixDT, M, K, MatrixUse::A, MatrixScope::Thread> m,
                                           InterpretedVector<T, N, CT> v, VectorRef<BiasDT, M> bias) {
    vector<OutputElTy, M> result;
    __builtin_spv_CooperativeVectorMatrixMulAddNV(
        result, v.Data, m._buffer, m._offset, bias.Buf, bias.Offset, Interpretation<BiasDT>::value, m._stride,
        OfVector<T, N, CT, K>::value, Interpretation<MatrixDT>::value, K, m._layout, m._transpose);
    return result;
  }
};

template <ComponentEnum MatrixDT> struct Product<MatrixDT, kPlain> {
  template <typename OutputElTy, uint M, uint K, typename T, int N, ComponentEnum CT>
  static vector<OutputElTy, M> Multiply(Matrix<MatrixDT, M, K, MatrixUse::A, MatrixScope::Thread> m,
                                        InterpretedVector<T, N, CT> v) {
    const vector<float, K> factor = Floats<CT, K, T, N>::Get(v.Data);
    const uint size = 4 / Component<MatrixDT>::perScalar;
    const bool byColumns = m._layout == 1;
    vector<float, M> result = 0;
    for (uint row = 0; row < M; ++row)
      for (uint column = 0; column < K; ++column) {
        const uint place = (byColumns ? column : row) * m._stride + (byColumns ? row : column) * size;
        const uint at = m._offset + place;
        const vector<uint, 1> bits = m._buffer.Load(at & ~3) >> ((at & 3) * 8);
        result[row] += Convert<ComponentType::F32, MatrixDT>(bits).Data[0] * factor[column];
      }
    return (vector<OutputElTy, M>)result;
  }

  template <typename OutputElTy, uint M, uint K, typename T, int N, ComponentEnum CT, ComponentEnum BiasDT>
  static vector<OutputElTy, M> MultiplyAdd(Matrix<MatrixDT, M, K, MatrixUse::A, MatrixScope::Thread> m,
                                           InterpretedVector<T, N, CT> v, VectorRef<BiasDT, M> bias) {
    using Scalar = typename Component<BiasDT>::Type;
    const int count = Converted<BiasDT, ComponentType::F32, M>::size;
    const vector<Scalar, count> added = bias.Buf.template Load<vector<Scalar, count> >(bias.Offset);
    return Multiply<OutputElTy>(m, v) + (vector<OutputElTy, M>)Floats<BiasDT, M, Scalar, count>::Get(added);
  }
};

template <ComponentEnum MatrixDT> struct Product<MatrixDT, kEither> {
  template <typename OutputElTy, uint M, uint K, typename T, int N, ComponentEnum CT>
  static vector<OutputElTy, M> Multiply(Matrix<MatrixDT, M, K, MatrixUse::A, MatrixScope::Thread> m,
                                        InterpretedVector<T, N, CT> v) {
    if (m._layout < 2)
      return Product<MatrixDT, kPlain>::template Multiply<OutputElTy>(m, v);
    return Product<MatrixDT, kExtension>::template Multiply<OutputElTy>(m, v);
  }

  template <typename OutputElTy, uint M, uint K, typename T, int N, ComponentEnum CT, ComponentEnum BiasDT>
  static vector<OutputElTy, M> MultiplyAdd(Matrix<MatrixDT, M, K, MatrixUse::A, MatrixScope::Thread> m,
                                           InterpretedVector<T, N, CT> v, VectorRef<BiasDT, M> bias) {
    if (m._layout < 2)
      return Product<MatrixDT, kPlain>::template MultiplyAdd<OutputElTy>(m, v, bias);
    return Product<MatrixDT, kExtension>::template MultiplyAdd<OutputElTy>(m, v, bias);
  }
};

} // namespace detail

// matrix * vector.
template <typename OutputElTy, typename InputElTy, ComponentEnum InputInterp, uint M, uint K, int VecK,
          ComponentEnum MatrixDT>
vector<OutputElTy, M> Multiply(Matrix<MatrixDT, M, K, MatrixUse::A, MatrixScope::Thread> MatrixA,
                               InterpretedVector<InputElTy, VecK, InputInterp> InterpVec) {
  return detail::Product<MatrixDT, detail::WayOf<MatrixDT>::value>::template Multiply<OutputElTy>(MatrixA, InterpVec);
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
  return detail::Product<MatrixDT, detail::WayOf<MatrixDT>::value>::template MultiplyAdd<OutputElTy>(
      MatrixA, InterpVec, BiasRef);
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

#pragma dxc diagnostic pop

#endif

} // namespace linalg
} // namespace dx

#endif
