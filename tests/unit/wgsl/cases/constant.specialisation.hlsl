// RUN: -T cs_6_0 -E main
// Specialisation constants are overrides.
[[vk::constant_id(3)]] const int count = 5;
[[vk::constant_id(4)]] const bool doubled = true;
RWStructuredBuffer<int> result;

// CHECK: @id(4) override doubled: bool = true;
// CHECK: @id(3) override count: i32 = 5i;
// CHECK: override [[twice:\w+]]: i32 = count * 2i;
[numthreads(1, 1, 1)]
void main() {
  // CHECK: select(count, [[twice]], doubled)
  result[0] = doubled ? count * 2 : count;
}
