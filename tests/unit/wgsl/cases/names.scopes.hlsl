// RUN: -T cs_6_0 -E main -O0
// A name has a number only where its scope has another one, and names of the source keep their numbers.
cbuffer Frame : register(b0) { uint count; };
RWStructuredBuffer<uint> o : register(u1);
// CHECK: struct Frame_block {
// CHECK: var<uniform> Frame: Frame_block;
// CHECK-NOT: i_1
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  // CHECK: let level_2 = o[id.x];
  uint level_2 = o[id.x];
  // CHECK: for (var i = 0u; i < Frame.count; i++) {
  // CHECK-NEXT: let x = o[i];
  // CHECK-NEXT: o[i + 1u] = x * x;
  for (uint i = 0; i < count; i++) { uint x = o[i]; o[i + 1] = x * x; }
  // CHECK: for (var i = 2u; i < Frame.count; i++) {
  // CHECK-NEXT: let x = o[i + 1u];
  // CHECK-NEXT: o[i] = x * x + level_2;
  for (uint i = 2; i < count; i++) { uint x = o[i + 1]; o[i] = x * x + level_2; }
  // CHECK: for (var i = 3u; i < Frame.count; i++) {
  // CHECK-NEXT: for (var i_2 = 0u; i_2 < i; i_2++) {
  // CHECK-NEXT: let x = o[i + i_2];
  for (uint i = 3; i < count; i++) for (uint i_2 = 0; i_2 < i; i_2++) { uint x = o[i + i_2]; o[i_2] = x * x; }
  // CHECK: for (var n = 1i; n < 4i; n++) {
  // CHECK: for (var n = 2i; n < 5i; n++) {
  for (int n = 1; n < 4; n++) o[n] *= 2;
  for (int n = 2; n < 5; n++) o[n] *= 3;
}
