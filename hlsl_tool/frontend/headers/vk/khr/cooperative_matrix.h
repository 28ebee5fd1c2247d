// vk::khr::CooperativeMatrix: SPV_KHR_cooperative_matrix as a class.  The interface is that of the HLSL specification's
// proposal 0021, the instructions are those of the extension.

#ifndef HLSL_TOOL_VK_KHR_COOPERATIVE_MATRIX_H
#define HLSL_TOOL_VK_KHR_COOPERATIVE_MATRIX_H

#if __SPIRV_MAJOR_VERSION__ == 1 && __SPIRV_MINOR_VERSION__ < 6
#error "CooperativeMatrix requires a minimum of SPIR-V 1.6"
#endif

#include <vk/opcode_selector.h>
#include <vk/spirv.h>

namespace vk {
namespace khr {

namespace detail {

// Loads and stores; with an operand for the scope that the memory is made visible or available to, or without.
template <typename Matrix, typename Pointee>
[[vk::ext_instruction(/* OpCooperativeMatrixLoadKHR */ 4457)]]
Matrix LoadMatrix([[vk::ext_reference]] Pointee from, vk::CooperativeMatrixLayout layout, uint stride,
                  [[vk::ext_literal]] uint memoryAccess);

template <typename Matrix, typename Pointee>
[[vk::ext_instruction(/* OpCooperativeMatrixLoadKHR */ 4457)]]
Matrix LoadMatrixIn([[vk::ext_reference]] Pointee from, vk::CooperativeMatrixLayout layout, uint stride,
                    [[vk::ext_literal]] uint memoryAccess, vk::Scope scope);

template <typename Matrix, typename Pointer>
[[vk::ext_instruction(/* OpCooperativeMatrixLoadKHR */ 4457)]]
Matrix LoadShared(Pointer from, vk::CooperativeMatrixLayout layout, uint stride, [[vk::ext_literal]] uint memoryAccess,
                  vk::Scope scope);

template <typename Matrix, typename Pointee>
[[vk::ext_instruction(/* OpCooperativeMatrixStoreKHR */ 4458)]]
void StoreMatrix([[vk::ext_reference]] Pointee to, Matrix m, vk::CooperativeMatrixLayout layout, uint stride,
                 [[vk::ext_literal]] uint memoryAccess);

template <typename Matrix, typename Pointee>
[[vk::ext_instruction(/* OpCooperativeMatrixStoreKHR */ 4458)]]
void StoreMatrixIn([[vk::ext_reference]] Pointee to, Matrix m, vk::CooperativeMatrixLayout layout, uint stride,
                   [[vk::ext_literal]] uint memoryAccess, vk::Scope scope);

template <typename Matrix, typename Pointer>
[[vk::ext_instruction(/* OpCooperativeMatrixStoreKHR */ 4458)]]
void StoreShared(Pointer to, Matrix m, vk::CooperativeMatrixLayout layout, uint stride,
                 [[vk::ext_literal]] uint memoryAccess, vk::Scope scope);

template <typename Result, typename A, typename B>
[[vk::ext_instruction(/* OpCooperativeMatrixMulAddKHR */ 4459)]]
Result MultiplyAdd(A a, B b, Result c, [[vk::ext_literal]] uint operands);

// Elements of the part that an invocation holds are reached as those of an array.
template <typename Component, typename Matrix>
[[vk::ext_instruction(/* OpAccessChain */ 65)]]
vk::SpirvOpaqueType</* OpTypePointer */ 32, vk::Literal<vk::integral_constant<uint, vk::StorageClassFunction> >, Component>
ElementPointer([[vk::ext_reference]] Matrix m, uint index);

template <typename Component, typename Pointer>
[[vk::ext_instruction(/* OpLoad */ 61)]]
Component LoadElement(Pointer from);

template <typename Component, typename Pointer>
[[vk::ext_instruction(/* OpStore */ 62)]]
void StoreElement(Pointer to, Component value);

// What a load makes visible and a store makes available.
enum Shared {
  kLoad = vk::MemoryAccessNonPrivatePointerMask | vk::MemoryAccessMakePointerVisibleMask,
  kStore = vk::MemoryAccessNonPrivatePointerMask | vk::MemoryAccessMakePointerAvailableMask,
};

} // namespace detail

// A matrix of rows x columns that the invocations of a scope hold together.
template <typename ComponentType, vk::Scope scope, uint rows, uint columns, vk::CooperativeMatrixUse use>
class CooperativeMatrix {
  using SpirvMatrixType =
      vk::SpirvOpaqueType</* OpTypeCooperativeMatrixKHR */ 4456, ComponentType, vk::integral_constant<uint, scope>,
                          vk::integral_constant<uint, rows>, vk::integral_constant<uint, columns>,
                          vk::integral_constant<uint, use> >;

  [[vk::ext_extension("SPV_KHR_cooperative_matrix")]]
  [[vk::ext_capability(/* CooperativeMatrixKHR */ 6022)]]
  [[vk::ext_capability(/* VulkanMemoryModel */ 5345)]]
  SpirvMatrixType _matrix;

  static const bool hasSignedIntegerComponentType =
      vk::util::Number<ComponentType>::isSigned && !vk::util::Number<ComponentType>::isFloat;

  // Every component converted.
  template <typename NewComponentType>
  CooperativeMatrix<NewComponentType, scope, rows, columns, use> cast() {
    using Result = CooperativeMatrix<NewComponentType, scope, rows, columns, use>;
    Result result;
    result._matrix = vk::util::ConversionSelector<ComponentType, NewComponentType>::Convert<typename Result::SpirvMatrixType>(_matrix);
    return result;
  }

  // Arithmetic, component by component.
  CooperativeMatrix negate() {
    CooperativeMatrix result;
    result._matrix = vk::util::ArithmeticSelector<ComponentType>::Negate(_matrix);
    return result;
  }

  CooperativeMatrix operator+(CooperativeMatrix other) {
    CooperativeMatrix result;
    result._matrix = vk::util::ArithmeticSelector<ComponentType>::Add(_matrix, other._matrix);
    return result;
  }

  CooperativeMatrix operator-(CooperativeMatrix other) {
    CooperativeMatrix result;
    result._matrix = vk::util::ArithmeticSelector<ComponentType>::Sub(_matrix, other._matrix);
    return result;
  }

  CooperativeMatrix operator*(CooperativeMatrix other) {
    CooperativeMatrix result;
    result._matrix = vk::util::ArithmeticSelector<ComponentType>::Mul(_matrix, other._matrix);
    return result;
  }

  CooperativeMatrix operator/(CooperativeMatrix other) {
    CooperativeMatrix result;
    result._matrix = vk::util::ArithmeticSelector<ComponentType>::Div(_matrix, other._matrix);
    return result;
  }

  CooperativeMatrix operator*(ComponentType scalar) {
    CooperativeMatrix result;
    result._matrix = vk::util::Instruction</* OpMatrixTimesScalar */ 143>::Binary<SpirvMatrixType>(_matrix, scalar);
    return result;
  }

  // To groupshared memory, available to the workgroup.
  template <uint memoryAccess, vk::CooperativeMatrixLayout layout, typename Type>
  void Store(vk::WorkgroupSpirvPointer<Type> data, uint stride) {
    detail::StoreShared(data, _matrix, layout, stride, memoryAccess | detail::kStore, vk::ScopeWorkgroup);
  }

  template <vk::CooperativeMatrixLayout layout, typename Type>
  void Store(vk::WorkgroupSpirvPointer<Type> data, uint stride) {
    Store<vk::MemoryAccessMaskNone, layout>(data, stride);
  }

  // To data[index] and what follows it.
  template <uint memoryAccess, vk::CooperativeMatrixLayout layout, typename Type>
  void Store(RWStructuredBuffer<Type> data, uint index, uint stride) {
    detail::StoreMatrix(data[index], _matrix, layout, stride, memoryAccess);
  }

  template <vk::CooperativeMatrixLayout layout, typename Type>
  void Store(RWStructuredBuffer<Type> data, uint index, uint stride) {
    Store<vk::MemoryAccessMaskNone, layout>(data, index, stride);
  }

  // The same, available to the queue family.
  template <uint memoryAccess, vk::CooperativeMatrixLayout layout, typename Type>
  void CoherentStore(globallycoherent RWStructuredBuffer<Type> data, uint index, uint stride) {
    detail::StoreMatrixIn(data[index], _matrix, layout, stride, memoryAccess | detail::kStore, vk::ScopeQueueFamily);
  }

  template <vk::CooperativeMatrixLayout layout, typename Type>
  void CoherentStore(globallycoherent RWStructuredBuffer<Type> data, uint index, uint stride) {
    CoherentStore<vk::MemoryAccessMaskNone, layout>(data, index, stride);
  }

  // From groupshared memory, visible to the workgroup.
  template <uint memoryAccess, vk::CooperativeMatrixLayout layout, typename Type>
  static CooperativeMatrix Load(vk::WorkgroupSpirvPointer<Type> data, uint stride) {
    CooperativeMatrix result;
    result._matrix = detail::LoadShared<SpirvMatrixType>(data, layout, stride, memoryAccess | detail::kLoad,
                                                         vk::ScopeWorkgroup);
    return result;
  }

  template <vk::CooperativeMatrixLayout layout, typename Type>
  static CooperativeMatrix Load(vk::WorkgroupSpirvPointer<Type> data, uint stride) {
    return Load<vk::MemoryAccessMaskNone, layout>(data, stride);
  }

  // From data[index] and what follows it.
  template <uint memoryAccess, vk::CooperativeMatrixLayout layout, typename Type>
  static CooperativeMatrix Load(RWStructuredBuffer<Type> data, uint index, uint stride) {
    CooperativeMatrix result;
    result._matrix = detail::LoadMatrix<SpirvMatrixType>(data[index], layout, stride, memoryAccess);
    return result;
  }

  template <vk::CooperativeMatrixLayout layout, typename Type>
  static CooperativeMatrix Load(RWStructuredBuffer<Type> data, uint index, uint stride) {
    return Load<vk::MemoryAccessMaskNone, layout>(data, index, stride);
  }

  template <uint memoryAccess, vk::CooperativeMatrixLayout layout, typename Type>
  static CooperativeMatrix Load(StructuredBuffer<Type> data, uint index, uint stride) {
    CooperativeMatrix result;
    result._matrix = detail::LoadMatrix<SpirvMatrixType>(data[index], layout, stride, memoryAccess);
    return result;
  }

  template <vk::CooperativeMatrixLayout layout, typename Type>
  static CooperativeMatrix Load(StructuredBuffer<Type> data, uint index, uint stride) {
    return Load<vk::MemoryAccessMaskNone, layout>(data, index, stride);
  }

  // The same, visible to the queue family.
  template <uint memoryAccess, vk::CooperativeMatrixLayout layout, typename Type>
  static CooperativeMatrix CoherentLoad(globallycoherent RWStructuredBuffer<Type> data, uint index, uint stride) {
    CooperativeMatrix result;
    result._matrix = detail::LoadMatrixIn<SpirvMatrixType>(data[index], layout, stride, memoryAccess | detail::kLoad,
                                                           vk::ScopeQueueFamily);
    return result;
  }

  template <vk::CooperativeMatrixLayout layout, typename Type>
  static CooperativeMatrix CoherentLoad(globallycoherent RWStructuredBuffer<Type> data, uint index, uint stride) {
    return CoherentLoad<vk::MemoryAccessMaskNone, layout>(data, index, stride);
  }

  // The matrix with v everywhere; v must be the same in the whole scope.
  static CooperativeMatrix Splat(ComponentType v) {
    CooperativeMatrix result;
    result._matrix = vk::util::Instruction</* OpCompositeConstruct */ 80>::Unary<SpirvMatrixType>(v);
    return result;
  }

  // The components that this invocation holds, and how many there are.
  static uint GetLength() { return __builtin_spv_CooperativeMatrixLengthKHR<SpirvMatrixType>(); }

  ComponentType Get(uint index) {
    return detail::LoadElement<ComponentType>(detail::ElementPointer<ComponentType>(_matrix, index));
  }

  void Set(ComponentType value, uint index) {
    detail::StoreElement(detail::ElementPointer<ComponentType>(_matrix, index), value);
  }
};

// By the place in r = a * b + c.
template <typename ComponentType, vk::Scope scope, uint rows, uint columns>
using CooperativeMatrixA = CooperativeMatrix<ComponentType, scope, rows, columns, vk::CooperativeMatrixUseMatrixAKHR>;

template <typename ComponentType, vk::Scope scope, uint rows, uint columns>
using CooperativeMatrixB = CooperativeMatrix<ComponentType, scope, rows, columns, vk::CooperativeMatrixUseMatrixBKHR>;

template <typename ComponentType, vk::Scope scope, uint rows, uint columns>
using CooperativeMatrixAccumulator =
    CooperativeMatrix<ComponentType, scope, rows, columns, vk::CooperativeMatrixUseMatrixAccumulatorKHR>;

// a * b + c.  Components of one type; signed integers are said to be signed everywhere.
template <typename ComponentType, vk::Scope scope, uint rows, uint columns, uint K>
CooperativeMatrixAccumulator<ComponentType, scope, rows, columns>
cooperativeMatrixMultiplyAdd(CooperativeMatrixA<ComponentType, scope, rows, K> a,
                             CooperativeMatrixB<ComponentType, scope, K, columns> b,
                             CooperativeMatrixAccumulator<ComponentType, scope, rows, columns> c) {
  using Result = CooperativeMatrixAccumulator<ComponentType, scope, rows, columns>;
  Result result;
  result._matrix = detail::MultiplyAdd(a._matrix, b._matrix, c._matrix, Result::hasSignedIntegerComponentType ? 0xF : 0);
  return result;
}

// The same for components of several types: half * half + float, int8_t * int8_t + int, bfloat16_t * bfloat16_t + float.
template <typename TypeA, typename TypeB, typename TypeC, vk::Scope scope, uint rows, uint columns, uint K>
CooperativeMatrixAccumulator<TypeC, scope, rows, columns>
cooperativeMatrixMixedMultiplyAdd(CooperativeMatrixA<TypeA, scope, rows, K> a,
                                  CooperativeMatrixB<TypeB, scope, K, columns> b,
                                  CooperativeMatrixAccumulator<TypeC, scope, rows, columns> c) {
  using A = CooperativeMatrixA<TypeA, scope, rows, K>;
  using B = CooperativeMatrixB<TypeB, scope, K, columns>;
  using Result = CooperativeMatrixAccumulator<TypeC, scope, rows, columns>;
  Result result;
  result._matrix = detail::MultiplyAdd(a._matrix, b._matrix, c._matrix,
                                       (A::hasSignedIntegerComponentType ? 1 : 0) |
                                           (B::hasSignedIntegerComponentType ? 2 : 0) |
                                           (Result::hasSignedIntegerComponentType ? 12 : 0));
  return result;
}

// The same for integers, stopping at the ends of their range.
template <typename ComponentType, vk::Scope scope, uint rows, uint columns, uint K>
CooperativeMatrixAccumulator<ComponentType, scope, rows, columns>
cooperativeMatrixSaturatingMultiplyAdd(CooperativeMatrixA<ComponentType, scope, rows, K> a,
                                       CooperativeMatrixB<ComponentType, scope, K, columns> b,
                                       CooperativeMatrixAccumulator<ComponentType, scope, rows, columns> c) {
  using Result = CooperativeMatrixAccumulator<ComponentType, scope, rows, columns>;
  Result result;
  result._matrix =
      detail::MultiplyAdd(a._matrix, b._matrix, c._matrix, Result::hasSignedIntegerComponentType ? 0x1F : 0x10);
  return result;
}

} // namespace khr
} // namespace vk

#endif
