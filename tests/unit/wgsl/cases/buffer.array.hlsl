// RUN: -T cs_6_0 -E main
// An array of buffers is a variable for each element, too; what is written stands in each case.
struct Numbers { uint4 first; };
ConstantBuffer<Numbers> numbers[2] : register(b0);
RWStructuredBuffer<uint> words[2] : register(u4);

// CHECK: @group(0) @binding(0) var<uniform> numbers_0: ConstantBuffer_Numbers;
// CHECK: @group(0) @binding(5) var<uniform> numbers_1: ConstantBuffer_Numbers;
// CHECK: @group(0) @binding(4) var<storage, read_write> words_0:
// CHECK: @group(0) @binding(6) var<storage, read_write> words_1:
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  // CHECK: switch global_invocation_id.x {
  // CHECK-NEXT: case 0u: {
  // CHECK-NEXT: [[V:v[0-9]+]] = numbers_0.first.x;
  // CHECK: default: {
  // CHECK-NEXT: [[V]] = numbers_1.first.x;
  // CHECK: switch global_invocation_id.y {
  // CHECK-NEXT: case 0u: {
  // CHECK-NEXT: words_0[2] = [[V]];
  // CHECK: default: {
  // CHECK-NEXT: words_1[2] = [[V]];
  words[id.y][2] = numbers[id.x].first.x;
}
