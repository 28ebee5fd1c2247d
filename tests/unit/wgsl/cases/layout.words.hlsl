// RUN: -T cs_6_0 -E main
// A vector that starts between multiples of its alignment: WGSL cannot be asked for that, so the buffer is of words.
// HLSL packs `offset` at byte 4, right behind `scale`.
cbuffer Block {
  float scale;
  float3 offset;
};
RWStructuredBuffer<float3> result;

// CHECK: var<uniform> Block: array<vec4u, 1>;
[numthreads(1, 1, 1)]
void main() {
  // CHECK: vec3f(bitcast<f32>(Block[0].y), bitcast<f32>(Block[0].z), bitcast<f32>(Block[0].w)) * bitcast<f32>(Block[0].x)
  result[0] = offset * scale;
}
