// RUN: -T cs_6_6 -E main -fspv-target-env=vulkan1.3 -fspv-use-descriptor-heap -O3
// RUN: -T cs_6_6 -E main -fspv-target-env=vulkan1.3 -fspv-use-descriptor-heap -O0
// RUN: -T cs_6_6 -E main -fspv-target-env=vulkan1.3 -fspv-use-descriptor-heap -fcgl --check-prefix=RAW
// RUN: -T cs_6_6 -E main -fspv-target-env=vulkan1.3 -fspv-use-descriptor-heap -fvk-resource-heap-stride 64 -fvk-sampler-heap-stride 32 --check-prefix=BYTES

// CHECK: OpCapability DescriptorHeapEXT
// CHECK-NOT: OpCapability RuntimeDescriptorArray
// CHECK-DAG: OpExtension "SPV_EXT_descriptor_heap"
// CHECK-DAG: OpExtension "SPV_KHR_untyped_pointers"
// CHECK: OpEntryPoint GLCompute %main "main" %gl_GlobalInvocationID %o %resource_heap %sampler_heap
// CHECK-DAG: OpDecorateId [[textures:%[a-z0-9_]+]] ArrayStrideIdEXT [[stride:%[0-9]+]]
// CHECK-DAG: OpDecorate %resource_heap BuiltIn ResourceHeapEXT
// CHECK-DAG: OpDecorate %sampler_heap BuiltIn SamplerHeapEXT
// CHECK-DAG: OpDecorateId [[samplers:%[a-z0-9_]+]] ArrayStrideIdEXT [[size:%[0-9]+]]
// CHECK: [[image:%[0-9]+]] = OpConstantSizeOfEXT %uint %type_2d_image
// CHECK: [[type:%[0-9]+]] = OpTypeBufferEXT StorageBuffer
// CHECK: [[buffer:%[0-9]+]] = OpConstantSizeOfEXT %uint [[type]]
// CHECK: [[larger:%[0-9]+]] = OpSpecConstantOp %bool UGreaterThan [[image]] [[buffer]]
// CHECK: [[stride]] = OpSpecConstantOp %uint Select [[larger]] [[image]] [[buffer]]
// CHECK: %resource_heap = OpUntypedVariableKHR %_ptr_UniformConstant UniformConstant
// CHECK: [[size]] = OpConstantSizeOfEXT %uint %type_sampler
// CHECK: [[texture:%[0-9]+]] = OpUntypedAccessChainKHR %_ptr_UniformConstant [[textures]] %resource_heap %uint_3
// CHECK: OpLoad %type_2d_image [[texture]]
// CHECK: [[sampler:%[0-9]+]] = OpUntypedAccessChainKHR %_ptr_UniformConstant [[samplers]] %sampler_heap
// CHECK: OpLoad %type_sampler [[sampler]]
// CHECK: [[b:%[0-9]+]] = OpBufferPointerEXT %_ptr_StorageBuffer_type_StructuredBuffer_S
// CHECK: [[c:%[0-9]+]] = OpBufferPointerEXT %_ptr_Uniform_type_ConstantBuffer_S
// CHECK: OpAccessChain %_ptr_Uniform_v4float [[c]] %int_0
// CHECK: OpUntypedImageTexelPointerEXT %_ptr_Image %type_2d_image_0
// CHECK: OpArrayLength %uint [[b]] 0
// CHECK: OpAccessChain %_ptr_StorageBuffer_v4float [[b]] %int_0

// RAW: OpUntypedAccessChainKHR %_ptr_UniformConstant {{%[a-z0-9_]+}} %resource_heap
// RAW: OpBufferPointerEXT

// BYTES-NOT: ArrayStrideIdEXT
// BYTES: OpDecorate %_runtimearr_type_2d_image ArrayStride 64
// BYTES: OpDecorate %_runtimearr_type_sampler ArrayStride 32
// BYTES-NOT: OpConstantSizeOfEXT

struct S { float4 v; };
RWStructuredBuffer<float4> o : register(u0);
[numthreads(8, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  Texture2D<float4> t = ResourceDescriptorHeap[3];
  SamplerState s = SamplerDescriptorHeap[id.y];
  RWTexture2D<uint> w = ResourceDescriptorHeap[id.x];
  StructuredBuffer<S> b = ResourceDescriptorHeap[id.x + 1];
  ConstantBuffer<S> c = ResourceDescriptorHeap[6];
  uint n, stride, old;
  InterlockedAdd(w[id.xy], 1, old);
  b.GetDimensions(n, stride);
  o[id.x] = t.SampleLevel(s, 0.5, 0) + b[id.x].v + c.v + n + old;
}
