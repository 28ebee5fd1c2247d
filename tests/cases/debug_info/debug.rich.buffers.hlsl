// RUN: -T cs_6_0 -E main -fspv-debug=rich -fcgl
// RUN: -T cs_6_0 -E main -fspv-debug=rich -O0 --check-prefix=LEGAL
// RUN: -T cs_6_0 -E main -fspv-debug=vulkan -fcgl --check-prefix=VULKAN
RWStructuredBuffer<float> data;
ByteAddressBuffer raw;
float get(RWStructuredBuffer<float> buffer, ByteAddressBuffer bytes) {
    RWStructuredBuffer<float> local = buffer;
    return local[1] + asfloat(bytes.Load(4));
}
[numthreads(1, 1, 1)] void main() { data[0] = get(data, raw); }

// CHECK-DAG: [[bufferName:%[0-9]+]] = OpString "buffer"
// CHECK-DAG: [[bytesName:%[0-9]+]] = OpString "bytes"
// CHECK-DAG: [[localName:%[0-9]+]] = OpString "local"
// CHECK-DAG: [[buffer:%[0-9]+]] = OpExtInst %void %1 DebugLocalVariable [[bufferName]] %{{[0-9]+}} %{{[0-9]+}} 6 37 {{.*}} FlagIsLocal 1
// CHECK-DAG: [[bytes:%[0-9]+]] = OpExtInst %void %1 DebugLocalVariable [[bytesName]] %{{[0-9]+}} %{{[0-9]+}} 6 63 {{.*}} FlagIsLocal 2
// CHECK-DAG: [[local:%[0-9]+]] = OpExtInst %void %1 DebugLocalVariable [[localName]] %{{[0-9]+}} %{{[0-9]+}} 7 31 {{.*}} FlagIsLocal
// CHECK: DebugDeclare [[buffer]] %buffer
// CHECK: DebugDeclare [[bytes]] %bytes
// CHECK: DebugDeclare [[local]] %local

// LEGAL-NOT: OpExtInstWithForwardRefsKHR
// LEGAL: DebugValue %{{[0-9]+}} %data
// LEGAL: DebugValue %{{[0-9]+}} %raw
// LEGAL: DebugValue %{{[0-9]+}} %data

// VULKAN: DebugDeclare %{{[0-9]+}} %buffer
// VULKAN: DebugDeclare %{{[0-9]+}} %bytes
// VULKAN: DebugDeclare %{{[0-9]+}} %local
