// Instructions chosen by the type that they work on: for inline SPIR-V in templates.

#ifndef HLSL_TOOL_VK_OPCODE_SELECTOR_H
#define HLSL_TOOL_VK_OPCODE_SELECTOR_H

namespace vk {
namespace util {

// What kind of number a scalar type is.
template <typename T> struct Number {
  static const bool isFloat = T(1) / T(2) != T(0);
  static const bool isSigned = T(0) - T(1) < T(0);
};

// The types of vk/khr/bfloat16.h and vk/ext/float8.h, which have no operators.
template <uint Bits, uint Size, uint Encoding>
struct Number<vk::SpirvType</* OpTypeFloat */ 22, Size, Size, vk::Literal<vk::integral_constant<uint, Bits> >,
                            vk::Literal<vk::integral_constant<uint, Encoding> > > > {
  static const bool isFloat = true;
  static const bool isSigned = true;
};

// An instruction by its opcode, with one operand or two.
template <uint Opcode> struct Instruction {
  template <typename ResultType, typename T>
  [[vk::ext_instruction(Opcode)]]
  static ResultType Unary(T a);

  template <typename ResultType, typename T, typename U>
  [[vk::ext_instruction(Opcode)]]
  static ResultType Binary(T a, U b);
};

// Arithmetic on values (scalars, vectors, cooperative matrices) whose components are of BaseType.
template <typename BaseType> class ArithmeticSelector {
  static const uint kNegate = Number<BaseType>::isFloat ? /* OpFNegate */ 127 : /* OpSNegate */ 126;
  static const uint kAdd = Number<BaseType>::isFloat ? /* OpFAdd */ 129 : /* OpIAdd */ 128;
  static const uint kSub = Number<BaseType>::isFloat ? /* OpFSub */ 131 : /* OpISub */ 130;
  static const uint kMul = Number<BaseType>::isFloat ? /* OpFMul */ 133 : /* OpIMul */ 132;
  static const uint kDiv = Number<BaseType>::isFloat    ? /* OpFDiv */ 136
                           : Number<BaseType>::isSigned ? /* OpSDiv */ 135
                                                        : /* OpUDiv */ 134;

  template <typename T> static T Negate(T a) { return Instruction<kNegate>::Unary<T>(a); }
  template <typename T> static T Add(T a, T b) { return Instruction<kAdd>::Binary<T>(a, b); }
  template <typename T> static T Sub(T a, T b) { return Instruction<kSub>::Binary<T>(a, b); }
  template <typename T> static T Mul(T a, T b) { return Instruction<kMul>::Binary<T>(a, b); }
  template <typename T> static T Div(T a, T b) { return Instruction<kDiv>::Binary<T>(a, b); }
};

// Conversions of values with components of SourceType to the same shape over TargetType.
template <typename SourceType, typename TargetType> class ConversionSelector {
  static const bool kSameWidth = sizeof(SourceType) == sizeof(TargetType);
  static const bool kSameSign = Number<SourceType>::isSigned == Number<TargetType>::isSigned;

  static const uint kFromFloat = !Number<TargetType>::isFloat
                                     ? (Number<TargetType>::isSigned ? /* OpConvertFToS */ 110 : /* OpConvertFToU */ 109)
                                     : (kSameWidth ? /* OpCopyObject */ 83 : /* OpFConvert */ 115);
  static const uint kToInteger =
      kSameWidth ? (kSameSign ? /* OpCopyObject */ 83 : /* OpBitcast */ 124)
                 : (Number<TargetType>::isSigned ? /* OpSConvert */ 114 : /* OpUConvert */ 113);
  static const uint kFromInteger = !Number<TargetType>::isFloat
                                       ? kToInteger
                                       : (Number<SourceType>::isSigned ? /* OpConvertSToF */ 111 : /* OpConvertUToF */ 112);
  static const uint kConvert = Number<SourceType>::isFloat ? kFromFloat : kFromInteger;

  template <typename ResultType, typename T> static ResultType Convert(T a) {
    return Instruction<kConvert>::Unary<ResultType>(a);
  }
};

} // namespace util
} // namespace vk

#endif
