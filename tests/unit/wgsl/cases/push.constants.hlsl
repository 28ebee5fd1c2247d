// RUN: -T cs_6_0 -E main
// WebGPU has no push constants: they are a uniform buffer in the first free group.
struct Push { float4 scale; };
[[vk::push_constant]] Push push;
[[vk::binding(0, 2)]] RWStructuredBuffer<float4> result;

// CHECK: @group(3) @binding(0) var<uniform> push
[numthreads(1, 1, 1)]
void main() {
  // CHECK: push.scale
  result[0] = push.scale;
}
