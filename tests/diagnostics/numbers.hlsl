// HLSL1810 on: types of 8 bits, alternative floating point types and long vectors.

// ---- -T cs_6_2 -HV 2021
RWStructuredBuffer<uint> o;
uint8_t4 shades;  // error: HLSL1810
[numthreads(1, 1, 1)] void main() { o[0] = 1; }

// ---- -T cs_6_2 -enable-8bit-types
typedef int int8_t;  // error: HLSL1072
RWStructuredBuffer<int> o;
[numthreads(1, 1, 1)] void main() { o[0] = 1; }

// ---- -T vs_6_2 -enable-8bit-types
uint main(uint8_t4 colour : COLOR) : A { return colour.x; }  // error: HLSL1811

// ---- -T ps_6_7
Texture2D<float4> t; SamplerState s;
float4 main(float2 uv : UV) : SV_Target { return t.GatherRaw(s, uv); }  // error: HLSL1812

// ---- -T ps_6_6
Texture2D<uint> t; SamplerState s;
uint4 main(float2 uv : UV) : SV_Target { return t.GatherRaw(s, uv); }  // error: HLSL1813

// ---- -T cs_6_0
[numthreads(1, 1, 1)] void main(uint3 t : SV_DispatchThreadID) {
  printf("%d %u %v3u %-5.3f %v2e %ul %lx %% %i %s", 1, t.x, t, 1.0, float2(1, 2), 5ull, 6ull, true, "text");
  printf("%d");  // warning: HLSL1814
  printf("%d", t.x, t.y);  // warning: HLSL1815
  printf("%y", t.x);  // warning: HLSL1816
  printf("%f", t.x);  // warning: HLSL1817
  struct { int x; } pair;
  printf("%d", pair);  // warning: HLSL1817
  int list[2];
  printf("%d", list);  // warning: HLSL1817
  printf("%v2u", t);  // warning: HLSL1817
  printf("%x", 1.5f);  // warning: HLSL1817
}

// ---- -T vs_6_2 -fspv-target-env=vulkan1.3
#include <vk/khr/bfloat16.h>
float main(vk::khr::bfloat16_t weight : WEIGHT) : A { return vk::khr::ToFloat(weight); }  // error: HLSL1830

// ---- -T cs_6_2 -fspv-target-env=vulkan1.3
#include <vk/ext/float8.h>
RWStructuredBuffer<vk::ext::float8_e5m2_t> weights; RWByteAddressBuffer raw;
RWTexture2D<vk::ext::float8_e5m2_t> image;  // error: HLSL0315
[numthreads(1, 1, 1)] void main() {
  weights[0] = 1.0;  // error: HLSL0330
  weights[1] = weights[0] * weights[1];  // error: HLSL0336
  weights[2] = raw.Load<vk::ext::float8_e5m2_t>(0);  // error: HLSL0315
}

// ---- -T cs_6_2 -enable-8bit-types -fspv-extension=SPV_KHR_16bit_storage
RWStructuredBuffer<uint8_t> bytes;
[numthreads(1, 1, 1)] void main() { bytes[0] = 1; }  // error: HLSL0705

// ---- -T cs_6_2 -fspv-target-env=vulkan1.3 -fspv-extension=KHR
#include <vk/ext/float8.h>
RWStructuredBuffer<vk::ext::float8_e4m3_t> weights; RWStructuredBuffer<float> o;
[numthreads(1, 1, 1)] void main() { o[0] = vk::ext::ToFloat(weights[0]); }  // error: HLSL0705

// ---- -T lib_6_3 -fspv-target-env=vulkan1.1
[shader("raygeneration")] void rays() { }  // error: HLSL0706

// ---- -T lib_6_8
[maxvertexcount(1e999)] void a() { }  // warning: HLSL1451 // warning: HLSL1624
[instance(-1e999)] void b() { }  // warning: HLSL1451 // warning: HLSL1624
[outputcontrolpoints(1e999f)] void c() { }  // warning: HLSL1451 // warning: HLSL1624
[numthreads(1, 1.#INF, 1)] void d() { }  // warning: HLSL1451
[wavesize(1e999)] void e() { }  // warning: HLSL1451 // warning: HLSL1624
[nodemaxrecursiondepth(1e999)] void f() { }  // warning: HLSL1451 // warning: HLSL1624
[maxvertexcount(1e30)] void g() { }  // error: HLSL0522
[maxvertexcount(0.0 / 0.0)] void h() { }  // error: HLSL1450
float loop(float x) {
  [unroll(1e999)] for (int i = 0; i < 3; i++) x += i;  // warning: HLSL1451 // warning: HLSL1624
  return x;
}

// ---- -T ps_6_0
[[vk::binding(1e999)]] cbuffer A { float4 a; }  // error: HLSL0522 // warning: HLSL1624
[[vk::binding(1 / 0)]] cbuffer B { float4 b; }  // error: HLSL1450
[[vk::binding(0, (int)1e999)]] cbuffer C { float4 c; }  // error: HLSL1450 // warning: HLSL1624 // warning: HLSL1634
[[vk::counter_binding((uint)(0.0 / 0.0))]] RWStructuredBuffer<float> s;  // error: HLSL1450 // warning: HLSL1634
float4 main() : SV_Target { return a + b + c; }
