// RUN: -T cs_6_2 -E main -fcgl -enable-16bit-types constants-out-of-range.hlsl

// As in DXC, infinity becomes the first or last number of an integer type, and NaN 0; enumerators wrap to their type.
// CHECK: OpStore %{{.*}} %int_2147483647
// CHECK: OpStore %{{.*}} %int_n2147483648
// CHECK: OpStore %{{.*}} %int_0
// CHECK: OpStore %{{.*}} %uint_4294967295
// CHECK: OpStore %{{.*}} %long_4294967295
// CHECK: OpStore %{{.*}} %long_4464
enum Wide : uint { Last = -1 };
enum Short : uint16_t { Wrapped = 70000 };
static int a, b, c;
static uint d;
static int64_t e, f;
[numthreads(1, 1, 1)] void main() {
  a = 1.0 / 0.0;
  b = -1.0 / 0.0;
  c = 0.0 / 0.0;
  d = 1.0 / 0.0;
  e = (int64_t)Last;
  f = (int64_t)Wrapped;
}
