// RUN: -T cs_6_0 -E main
// Selections of booleans with constants are logical operators.
RWStructuredBuffer<uint> o;
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  bool a = o[0] > id.x, b = o[1] > id.y;
  // CHECK-NOT: select({{true|false}}
  // CHECK-NOT: select({{.*}}, {{true|false}},
  // CHECK-NOT: {{==|!=}} {{true|false}}
  // CHECK: ||
  // CHECK: &&
  if (select(a, true, b)) o[2] = 1;
  if (select(a, b, false)) o[3] = 1;
  if (select(a, false, b)) o[4] = 1;
  if (select(a, b, true) == true) o[5] = 1;
  // CHECK-NOT: select(
  const bool2 known = bool2(false, true);
  o[6] = known.x ? o[7] : o[8];
}
