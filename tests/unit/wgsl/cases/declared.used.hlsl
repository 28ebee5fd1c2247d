// RUN: -T ps_6_0 -E main
// RUN: -T ps_6_0 -E main -fcgl
// Only resources that the shader uses are declared.
Texture2D used : register(t0), spare : register(t1), spares[4] : register(t2);
SamplerState plain : register(s10), other : register(s11);
Buffer<float> numbers : register(t8);
cbuffer Frame : register(b12) { float4 tint; };
cbuffer More : register(b13) { float4 more; };
StructuredBuffer<float> list : register(t9);

// CHECK-NOT: spare
// CHECK-NOT: other
// CHECK-NOT: numbers
// CHECK-NOT: More
// CHECK-NOT: list
// CHECK: @group(0) @binding(12) var<uniform> Frame
// CHECK-NEXT: @group(0) @binding(0) var used: texture_2d<f32>;
// CHECK-NEXT: @group(0) @binding(10) var plain: sampler;
// CHECK-NOT: @group
float4 main(float2 uv : UV) : SV_Target { return used.Sample(plain, uv) * tint; }
