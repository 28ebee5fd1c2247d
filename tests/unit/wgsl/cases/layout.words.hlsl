// RUN: -T cs_6_0 -E main -fvk-use-dx-layout
// A number in the last row of a matrix, and nothing else: WGSL has no such layout, so the words are read.
cbuffer Block {
  float3x3 turn;
  float scale;
};
RWStructuredBuffer<float3> result;

// CHECK: var<uniform> Block: array<vec4u, 3>;
[numthreads(1, 1, 1)]
void main() {
  // CHECK: bitcast<f32>(Block[0].y)
  // CHECK: bitcast<f32>(Block[2].w)
  result[0] = turn[1] * scale;
}
