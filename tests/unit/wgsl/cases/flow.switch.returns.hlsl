// RUN: -T cs_6_0 -E main -O0
// A function that returns from the last case that falls through ends with a return, as WGSL requires.
RWStructuredBuffer<float> o : register(u0);
float f(uint i) {
  // CHECK: if stage == 1i {
  // CHECK: return 2.0f;
  // CHECK-NEXT: }
  // CHECK-NEXT: return 0.0f;
  // CHECK-NEXT: }
  switch (i) {
    case 1: { o[1] = 3; }
    case 3:
    default: { o[2] = 4; if (true) return 2; }
      break;
  }
  o[3] = 5;
  return 1;
}
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) { o[0] = f(id.x) + f(id.y); }
