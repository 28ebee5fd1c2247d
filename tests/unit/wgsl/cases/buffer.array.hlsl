// RUN: -T cs_6_0 -E main
// An array of buffers is a variable for each element, too. A load and a store each have a function with a switch.
struct Numbers { uint4 first; };
ConstantBuffer<Numbers> numbers[2] : register(b0);
RWStructuredBuffer<uint> words[2] : register(u4);

// CHECK: @group(0) @binding(0) var<uniform> numbers_0: ConstantBuffer_Numbers;
// CHECK: @group(0) @binding(5) var<uniform> numbers_1: ConstantBuffer_Numbers;
// CHECK: @group(0) @binding(4) var<storage, read_write> words_0:
// CHECK: @group(0) @binding(6) var<storage, read_write> words_1:
// CHECK: fn load_numbers_first(index: u32) -> u32 {
// CHECK-NEXT: switch index {
// CHECK-NEXT: case 0u: { return numbers_0.first.x; }
// CHECK-NEXT: default: { return numbers_1.first.x; }
// CHECK: fn store_words(index: u32, element: u32, value: u32) {
// CHECK-NEXT: switch index {
// CHECK-NEXT: case 0u: {
// CHECK-NEXT: words_0[element] = value;
// CHECK-NEXT: }
// CHECK-NEXT: default: {
// CHECK-NEXT: words_1[element] = value;
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  // CHECK: store_words(global_invocation_id.y, 2u, load_numbers_first(global_invocation_id.x));
  words[id.y][2] = numbers[id.x].first.x;
}
