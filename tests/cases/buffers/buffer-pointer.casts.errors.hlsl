// RUN: not -T cs_6_0 -E main

struct Base { int i; };
struct Derived : Base { int j; };
cbuffer C { vk::BufferPointer<Derived, 16> p; vk::BufferPointer<int> i; };

[numthreads(1, 1, 1)] void main() {
  // CHECK: Vulkan buffer pointer cannot be cast to greater alignment
  vk::BufferPointer<Base, 32> wide = vk::static_pointer_cast<Base, 32>(p);
  // CHECK: vk::static_pointer_cast() content type must be base class of argument's content type
  vk::BufferPointer<float> f = vk::static_pointer_cast<float>(i);
}
