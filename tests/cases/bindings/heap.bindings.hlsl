// RUN: -T cs_6_6 -E main -fcgl
// RUN: -T cs_6_6 -E main -fcgl -fvk-bind-resource-heap 7 3 -fvk-bind-sampler-heap 8 4 -fvk-bind-counter-heap 9 5 --check-prefix=EXPLICIT
// RUN: not -T cs_6_6 -E main -fcgl -fvk-bind-register u0 0 2 0 --check-prefix=MISSING

// Heaps take what is free in set 0 once everything else has its binding: resources, samplers, counters.
// CHECK-DAG: OpDecorate %own DescriptorSet 0
// CHECK-DAG: OpDecorate %own Binding 1
// CHECK-DAG: OpDecorate %ResourceDescriptorHeap DescriptorSet 0
// CHECK-DAG: OpDecorate %ResourceDescriptorHeap Binding 0
// CHECK-DAG: OpDecorate %ResourceDescriptorHeap_0 Binding 0
// CHECK-DAG: OpDecorate %SamplerDescriptorHeap DescriptorSet 0
// CHECK-DAG: OpDecorate %SamplerDescriptorHeap Binding 2
// CHECK-DAG: OpDecorate %counter_var_ResourceDescriptorHeap DescriptorSet 0
// CHECK-DAG: OpDecorate %counter_var_ResourceDescriptorHeap Binding 3
// EXPLICIT-DAG: OpDecorate %own Binding 1
// EXPLICIT-DAG: OpDecorate %ResourceDescriptorHeap DescriptorSet 3
// EXPLICIT-DAG: OpDecorate %ResourceDescriptorHeap Binding 7
// EXPLICIT-DAG: OpDecorate %SamplerDescriptorHeap DescriptorSet 4
// EXPLICIT-DAG: OpDecorate %SamplerDescriptorHeap Binding 8
// EXPLICIT-DAG: OpDecorate %counter_var_ResourceDescriptorHeap DescriptorSet 5
// EXPLICIT-DAG: OpDecorate %counter_var_ResourceDescriptorHeap Binding 9
// MISSING: error: -fvk-bind-resource-heap is required when using -fvk-bind-register
[[vk::binding(1)]] RWStructuredBuffer<float4> own : register(u0);

[numthreads(1, 1, 1)] void main() {
  Texture2D<float4> t = ResourceDescriptorHeap[3];
  Texture2D<float4> same_array = ResourceDescriptorHeap[4];
  SamplerState s = SamplerDescriptorHeap[2];
  RWStructuredBuffer<float4> o = ResourceDescriptorHeap[5];
  o[o.IncrementCounter()] = t.SampleLevel(s, 0, 0) + same_array.SampleLevel(s, 0, 0);
  own[0] = o[0];
}
