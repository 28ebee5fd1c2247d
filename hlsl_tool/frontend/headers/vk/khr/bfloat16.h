// vk::khr::bfloat16_t: numbers of SPV_KHR_bfloat16, in registers and in buffers.  The extension has conversions, dot
// products and cooperative matrices; arithmetic is that of `float`, between conversions.

#ifndef HLSL_TOOL_VK_KHR_BFLOAT16_H
#define HLSL_TOOL_VK_KHR_BFLOAT16_H

namespace vk {
namespace khr {

using bfloat16_t = vk::SpirvType</* OpTypeFloat */ 22, 2, 2, vk::Literal<vk::integral_constant<uint, 16> >,
                                 vk::Literal<vk::integral_constant<uint, /* BFloat16KHR */ 0> > >;

using bfloat16_t2 = vk::SpirvType</* OpTypeVector */ 23, 4, 4, bfloat16_t, vk::Literal<vk::integral_constant<uint, 2> > >;
using bfloat16_t3 = vk::SpirvType</* OpTypeVector */ 23, 6, 8, bfloat16_t, vk::Literal<vk::integral_constant<uint, 3> > >;
using bfloat16_t4 = vk::SpirvType</* OpTypeVector */ 23, 8, 8, bfloat16_t, vk::Literal<vk::integral_constant<uint, 4> > >;

// The nearest number, or the number itself.
[[vk::ext_instruction(/* OpFConvert */ 115)]] bfloat16_t ToBFloat16(float x);
[[vk::ext_instruction(/* OpFConvert */ 115)]] bfloat16_t2 ToBFloat16(float2 x);
[[vk::ext_instruction(/* OpFConvert */ 115)]] bfloat16_t3 ToBFloat16(float3 x);
[[vk::ext_instruction(/* OpFConvert */ 115)]] bfloat16_t4 ToBFloat16(float4 x);
[[vk::ext_instruction(/* OpFConvert */ 115)]] float ToFloat(bfloat16_t x);
[[vk::ext_instruction(/* OpFConvert */ 115)]] float2 ToFloat(bfloat16_t2 x);
[[vk::ext_instruction(/* OpFConvert */ 115)]] float3 ToFloat(bfloat16_t3 x);
[[vk::ext_instruction(/* OpFConvert */ 115)]] float4 ToFloat(bfloat16_t4 x);

#ifdef __HLSL_ENABLE_16_BIT
// The bits of a number.
[[vk::ext_instruction(/* OpBitcast */ 124)]] bfloat16_t AsBFloat16(uint16_t bits);
[[vk::ext_instruction(/* OpBitcast */ 124)]] uint16_t AsUint16(bfloat16_t x);
#endif

// The dot product, rounded to the type.
[[vk::ext_instruction(/* OpDot */ 148)]] [[vk::ext_capability(/* BFloat16DotProductKHR */ 5117)]]
bfloat16_t Dot(bfloat16_t2 a, bfloat16_t2 b);
[[vk::ext_instruction(/* OpDot */ 148)]] [[vk::ext_capability(/* BFloat16DotProductKHR */ 5117)]]
bfloat16_t Dot(bfloat16_t3 a, bfloat16_t3 b);
[[vk::ext_instruction(/* OpDot */ 148)]] [[vk::ext_capability(/* BFloat16DotProductKHR */ 5117)]]
bfloat16_t Dot(bfloat16_t4 a, bfloat16_t4 b);

} // namespace khr
} // namespace vk

#endif
