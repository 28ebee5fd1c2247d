// vk::ext::float8_e4m3_t and float8_e5m2_t: numbers of SPV_EXT_float8, in registers and in buffers.  The extension has
// conversions and cooperative matrices; arithmetic is that of `float`, between conversions.

#ifndef HLSL_TOOL_VK_EXT_FLOAT8_H
#define HLSL_TOOL_VK_EXT_FLOAT8_H

namespace vk {
namespace ext {

#define HLSL_TOOL_FLOAT8(NAME, ENCODING)                                                                               \
  using NAME##_t = vk::SpirvType</* OpTypeFloat */ 22, 1, 1, vk::Literal<vk::integral_constant<uint, 8> >,             \
                                 vk::Literal<vk::integral_constant<uint, ENCODING> > >;                                \
  using NAME##_t2 = vk::SpirvType</* OpTypeVector */ 23, 2, 2, NAME##_t, vk::Literal<vk::integral_constant<uint, 2> > >; \
  using NAME##_t4 = vk::SpirvType</* OpTypeVector */ 23, 4, 4, NAME##_t, vk::Literal<vk::integral_constant<uint, 4> > >; \
  [[vk::ext_instruction(/* OpFConvert */ 115)]] float ToFloat(NAME##_t x);                                             \
  [[vk::ext_instruction(/* OpFConvert */ 115)]] float2 ToFloat(NAME##_t2 x);                                           \
  [[vk::ext_instruction(/* OpFConvert */ 115)]] float4 ToFloat(NAME##_t4 x);

HLSL_TOOL_FLOAT8(float8_e4m3, /* Float8E4M3EXT */ 4214)
HLSL_TOOL_FLOAT8(float8_e5m2, /* Float8E5M2EXT */ 4215)

#undef HLSL_TOOL_FLOAT8

// The nearest number.  What is too large becomes infinity, or NaN in float8_e4m3_t, which has no infinity.
[[vk::ext_instruction(/* OpFConvert */ 115)]] float8_e4m3_t ToFloat8E4M3(float x);
[[vk::ext_instruction(/* OpFConvert */ 115)]] float8_e4m3_t2 ToFloat8E4M3(float2 x);
[[vk::ext_instruction(/* OpFConvert */ 115)]] float8_e4m3_t4 ToFloat8E4M3(float4 x);
[[vk::ext_instruction(/* OpFConvert */ 115)]] float8_e5m2_t ToFloat8E5M2(float x);
[[vk::ext_instruction(/* OpFConvert */ 115)]] float8_e5m2_t2 ToFloat8E5M2(float2 x);
[[vk::ext_instruction(/* OpFConvert */ 115)]] float8_e5m2_t4 ToFloat8E5M2(float4 x);

#ifdef __HLSL_ENABLE_8_BIT
// The bits of a number.
[[vk::ext_instruction(/* OpBitcast */ 124)]] float8_e4m3_t AsFloat8E4M3(uint8_t bits);
[[vk::ext_instruction(/* OpBitcast */ 124)]] float8_e5m2_t AsFloat8E5M2(uint8_t bits);
[[vk::ext_instruction(/* OpBitcast */ 124)]] uint8_t AsUint8(float8_e4m3_t x);
[[vk::ext_instruction(/* OpBitcast */ 124)]] uint8_t AsUint8(float8_e5m2_t x);
#endif

} // namespace ext
} // namespace vk

#endif
