// RUN: not -T cs_6_0 -E main

struct Base { int i; };
struct Derived : Base { int j; };
typedef vk::BufferPointer<Derived, 16> Pointer;

// CHECK-DAG: vk::push_constant attribute cannot be used on declarations with vk::BufferPointer type
[[vk::push_constant]] Pointer constants;
// CHECK-DAG: vk::BufferPointer has no default constructor
Pointer global;
cbuffer C { Pointer p; vk::BufferPointer<int> i; };

[numthreads(1, 1, 1)] void main() {
  p.Get().i = i.Get();
}
