// RUN: -T cs_6_0 -E main -fcgl

// CHECK: OpCapability ShaderClockKHR
// CHECK: OpExtension "SPV_KHR_shader_clock"
// CHECK: [[set:%[0-9]+]] = OpExtInstImport "GLSL.std.450"
[[vk::ext_capability(/* ShaderClockKHR */ 5055), vk::ext_extension("SPV_KHR_shader_clock")]]
[[vk::ext_instruction(/* OpReadClockKHR */ 5056)]]
uint64_t readClock(uint scope);

[[vk::ext_instruction(/* Fract */ 10, "GLSL.std.450")]] float4 fract(float4 v);
[[vk::ext_instruction(/* OpLoad */ 61)]]
vk::ext_result_id<float> load([[vk::ext_reference]] float p, [[vk::ext_literal]] int access);
[[vk::ext_instruction(/* OpStore */ 62)]]
void store([[vk::ext_reference]] float p, vk::ext_result_id<float> v, [[vk::ext_literal]] int access);

RWStructuredBuffer<float4> o;

[numthreads(1, 1, 1)] void main() {
  float a = 1, b;
  // CHECK: [[v:%[0-9]+]] = OpLoad %float %a Volatile
  vk::ext_result_id<float> v = load(a, 1);
  // CHECK: OpStore %b [[v]] None
  store(b, v, 0);
  // CHECK: OpReadClockKHR %ulong %uint_1
  uint64_t clock = readClock(vk::DeviceScope);
  // CHECK: OpExtInst %v4float [[set]] Fract
  o[0] = fract(o[0]);
}
