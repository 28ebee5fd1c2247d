// RUN: -T cs_6_0 -E main -O0
// WGSL rejects a constant divisor that is 0: it is a variable, whatever computes it.
RWStructuredBuffer<int> o : register(u0);
static const int A = 3;
static const int3 V = int3(0, 4, 2);
static const int SIZES[3] = {0, 1, 2};
[numthreads(1, 1, 1)] void main() {
  // CHECK: var [[DIFFERENCE:v\d+]] = A - 3i;
  // CHECK-NEXT: o[0] = o[9] % [[DIFFERENCE]];
  o[0] = o[9] % (A - 3);
  // CHECK-NEXT: var [[COMPONENT:v\d+]] = V.x;
  // CHECK-NEXT: o[1] = o[9] / [[COMPONENT]] + o[8] / V.y;
  o[1] = o[9] / V.x + o[8] / V.y;
  // CHECK-NEXT: var [[ELEMENT:v\d+]] = SIZES[0];
  // CHECK-NEXT: o[2] = o[9] / [[ELEMENT]] + o[8] / SIZES[2];
  o[2] = o[9] / SIZES[A - 3] + o[8] / SIZES[A - 1];
}
