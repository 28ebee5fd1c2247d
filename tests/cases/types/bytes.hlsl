// RUN: -T cs_6_2 -E main -enable-8bit-types -fspv-target-env=vulkan1.1 bytes.hlsl
// RUN: -T cs_6_2 -E main -enable-8bit-types -fspv-target-env=vulkan1.2 bytes.hlsl --check-prefix=CORE
// RUN: -T cs_6_2 -E main -enable-8bit-types -fspv-target-env=vulkan1.0 bytes.hlsl --check-prefix=UNIFORM
// RUN: not -T cs_6_2 -E main -enable-8bit-types -fspv-extension=SPV_KHR_16bit_storage bytes.hlsl --check-prefix=REFUSED
// RUN: -T cs_6_2 -E free bytes.hlsl --check-prefix=FREE

// Integers of 8 bits in buffers: every storage class has a capability of its own.
// CHECK-DAG: OpCapability Int8
// CHECK-DAG: OpCapability UniformAndStorageBuffer8BitAccess
// CHECK-DAG: OpCapability StoragePushConstant8
// CHECK-DAG: OpExtension "SPV_KHR_8bit_storage"
// CORE-DAG: OpCapability StorageBuffer8BitAccess
// CORE-DAG: OpCapability UniformAndStorageBuffer8BitAccess
// CORE-NOT: OpExtension "SPV_KHR_8bit_storage"
// UNIFORM-NOT: OpCapability StorageBuffer8BitAccess
// UNIFORM: OpCapability UniformAndStorageBuffer8BitAccess
// UNIFORM-NOT: OpCapability StorageBuffer8BitAccess
// REFUSED: error: SPIR-V extension 'SPV_KHR_8bit_storage' required for 8-bit types in resource but not permitted to use
#ifdef __HLSL_ENABLE_8_BIT
struct Vertex { int8_t weight; uint8_t4 colour; };
struct Push { uint8_t4 tint; };
RWStructuredBuffer<Vertex> vertices;
RWByteAddressBuffer raw;
cbuffer Constants { uint8_t first; }
[[vk::push_constant]] Push push;

// CORE: OpIAdd %v4uchar
[numthreads(1, 1, 1)]
void main() {
  Vertex v = vertices[first];
  v.colour += push.tint;
  vertices[1] = v;
  raw.Store<int8_t>(5, v.weight);
}
#else
// Without the option the names are free.
// FREE: OpConstant %int 3
typedef int int8_t;
static const int uint8_t = 2;
RWStructuredBuffer<int> numbers;
[numthreads(1, 1, 1)]
void free() {
  int8_t sum = 1 + uint8_t;
  numbers[0] = sum;
}
#endif
