// RUN: -T cs_6_0 -E main -fcgl

// CHECK: OpMemoryModel PhysicalStorageBuffer64 GLSL450
// CHECK-DAG: OpDecorate %p RestrictPointer
// CHECK-DAG: OpDecorate %q AliasedPointer
// CHECK-DAG: OpMemberDecorate %Node 1 Offset 16
// CHECK-DAG: OpTypeForwardPointer %_ptr_PhysicalStorageBuffer_Node PhysicalStorageBuffer
typedef struct Node Node_t;
typedef vk::BufferPointer<Node_t, 32> Pointer;
struct Node { float4 x; Pointer next; };
struct Base { int i; };
struct Derived : Base { int j; };
struct Constants { Pointer root; vk::BufferPointer<Derived> derived; };
[[vk::push_constant]] Constants constants;

[numthreads(1, 1, 1)] void main() {
  Pointer p = constants.root;
  // CHECK: [[p:%[0-9]+]] = OpLoad %_ptr_PhysicalStorageBuffer_Node %p
  // CHECK: [[next:%[0-9]+]] = OpAccessChain %_ptr_PhysicalStorageBuffer__ptr_PhysicalStorageBuffer_Node [[p]] %int_1
  // CHECK: OpLoad %_ptr_PhysicalStorageBuffer_Node [[next]] Aligned 32
  [[vk::aliased_pointer]] Pointer q = p.Get().next;
  // CHECK: OpStore {{%[0-9]+}} {{%[0-9]+}} Aligned 16
  q.Get().x = 1;
  // CHECK: OpConvertPtrToU %ulong
  uint64_t address = (uint64_t)q;
  // CHECK: OpConvertUToPtr %_ptr_PhysicalStorageBuffer_Node
  p = Pointer(address + 64);
  // CHECK: OpBitcast %_ptr_PhysicalStorageBuffer_Base
  // CHECK: OpStore {{%[0-9]+}} %int_5 Aligned 4
  vk::static_pointer_cast<Base>(constants.derived).Get().i = 5;
  // CHECK: OpStore %size %uint_8
  uint size = sizeof(p);
}
