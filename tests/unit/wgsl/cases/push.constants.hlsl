// RUN: -T cs_6_0 -E main
// Push constants without arrays are immediates.
struct Push { float4 scale; };
[[vk::push_constant]] Push push;
[[vk::binding(0, 2)]] RWStructuredBuffer<float4> result;

// CHECK: var<immediate> push
[numthreads(1, 1, 1)]
void main() {
  // CHECK: result[0] = push.scale;
  result[0] = push.scale;
}
