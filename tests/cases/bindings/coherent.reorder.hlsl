// RUN: -T lib_6_9 -fspv-target-env=vulkan1.3 coherent.reorder.hlsl

// CHECK: OpDecorate %o Coherent
// CHECK: OpDecorate %t Coherent
reordercoherent RWStructuredBuffer<float4> o;
reordercoherent RWTexture2D<float4> t;
[shader("raygeneration")] void main() {
  o[0] = 1;
  t[uint2(0, 0)] = 2;
  dx::MaybeReorderThread(1, 2);
  o[1] = o[0];
}
