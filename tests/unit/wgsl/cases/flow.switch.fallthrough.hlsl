// RUN: -T cs_6_0 -E main
// WGSL has no fall-through: empty cases share a list, others are run in turn.
RWStructuredBuffer<int> data;

[numthreads(1, 1, 1)]
void main() {
  int r = 0;
  // CHECK: switch
  // CHECK-NEXT: case 1i, 2i: {
  switch (data[0]) {
    case 1:
    case 2:
      r = 5;
      break;
    // CHECK: default: {
    default:
      r = 7;
      break;
  }
  data[1] = r;
}
