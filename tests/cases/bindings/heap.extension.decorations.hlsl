// RUN: -T cs_6_6 -E main -fspv-target-env=vulkan1.3 -fspv-use-descriptor-heap

// Pointers to the contents of buffers have what the array of descriptors has; nothing says that others do not alias.
// CHECK: OpCapability ShaderNonUniform
// CHECK: OpExtension "SPV_EXT_descriptor_indexing"
// CHECK: OpEntryPoint GLCompute %main "main" %gl_GlobalInvocationID %resource_heap %counter_var_ResourceDescriptorHeap
// CHECK: OpDecorate %counter_var_ResourceDescriptorHeap DescriptorSet 0
// CHECK: OpDecorate %counter_var_ResourceDescriptorHeap Binding 0
// CHECK: OpDecorate [[raw:%[0-9]+]] Coherent
// CHECK: OpDecorate [[raw]] Aliased
// CHECK: [[size:%[0-9]+]] = OpConstantSizeOfEXT %uint %accelerationStructureNV
// CHECK: OpSpecConstantOp %uint Select {{%[0-9]+}} {{%[0-9]+}} [[size]]
// CHECK: [[raw]] = OpBufferPointerEXT %_ptr_StorageBuffer_type_RWByteAddressBuffer
RWStructuredBuffer<float4> get(uint i) { return ResourceDescriptorHeap[NonUniformResourceIndex(i)]; }
[numthreads(8, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  globallycoherent RWByteAddressBuffer raw = ResourceDescriptorHeap[5];
  raw.Store(4, id.x);
  RWStructuredBuffer<float4> b = get(id.x);
  b[b.IncrementCounter()] = 2;
  RaytracingAccelerationStructure scene = ResourceDescriptorHeap[9];
  RayQuery<0> q;
  q.TraceRayInline(scene, 0, 0xff, (RayDesc)0);
  q.Proceed();
}
