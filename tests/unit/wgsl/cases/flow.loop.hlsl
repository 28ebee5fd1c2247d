// RUN: -T cs_6_0 -E main
// A counting loop: its phis are variables; as there are two ways to continue, there is a continuing part.
RWStructuredBuffer<uint> data;

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  // CHECK: @group(0) @binding(0) var<storage, read_write> data: array<u32>;
  // CHECK: @compute @workgroup_size(64, 1, 1)
  // CHECK-NEXT: fn main(@builtin(global_invocation_id) {{\w+}}: vec3u) {
  uint sum = 0;
  // CHECK: var {{\w+}} = 0u;
  // CHECK: loop {
  // CHECK: if !([[i:\w+]] < data[
  for (uint i = 0; i < data[id.x]; ++i) {
    // CHECK: break;
    // CHECK: if [[i]] == 3u {
    if (i == 3) continue;
    // CHECK: continue;
    sum += i;
    // CHECK: continuing {
    // CHECK: [[i]]++;
  }
  // CHECK: data[{{.*}}] = {{\w+}};
  data[id.x] = sum;
}
