// RUN: -T cs_6_0 -E main -O0
// A loop with a condition at its begin and one step is a `for`; without a step it is a `while`.
RWStructuredBuffer<uint> data;

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  uint sum = 0;
  // CHECK: for (var i = 0u; i < data[id.x]; i++) {
  for (uint i = 0; i < data[id.x]; ++i) {
    // CHECK-NEXT: if i == 3u {
    // CHECK-NEXT: continue;
    if (i == 3) continue;
    // CHECK: sum += i;
    sum += i;
  }
  // CHECK: while sum > 7u {
  while (sum > 7) sum = sum / 3;
  // CHECK: data[id.x] = sum;
  data[id.x] = sum;
}
