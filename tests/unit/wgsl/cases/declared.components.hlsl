// RUN: -T cs_6_0 -E main -O0
// A variable whose components are stored before the whole is declared before them.
RWStructuredBuffer<int> o : register(u0);
[numthreads(1, 1, 1)] void main() {
  // CHECK: var v: vec2i;
  // CHECK-NEXT: v.x = o[0];
  // CHECK-NEXT: v.y = o[1];
  // CHECK-NEXT: v = vec2i(
  int2 v;
  v.x = o[0];
  v.y = o[1];
  v = int2(o[2], 3);
  v[o[4]] = 5;
  // CHECK: var m: array<vec2i, 2>;
  // CHECK-NEXT: m[0].x = o[5];
  // CHECK-NEXT: m = array<vec2i, 2>(
  int2x2 m;
  m[0][0] = o[5];
  m = int2x2(1, 2, o[3], o[4]);
  o[6] = m[o[7]][1] + v.x + v.y;
}
