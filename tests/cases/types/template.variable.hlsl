// RUN: -T cs_6_0 -E main -fcgl

// A variable template with a partial and a full specialisation; constants are used by value.
template <class, class> static const bool is_same = false;
template <class T> static const bool is_same<T, T> = true;
template <class T> static const uint size_of = 4;
template <> static const uint size_of<double> = 8;

RWStructuredBuffer<uint> o;

// CHECK-LABEL: %src_main = OpFunction
[numthreads(1, 1, 1)] void main() {
// CHECK: OpStore {{%[0-9]+}} %uint_0
  o[0] = is_same<int, float>;
// CHECK: OpStore {{%[0-9]+}} %uint_1
  o[1] = is_same<int, int>;
// CHECK: OpStore {{%[0-9]+}} %uint_4
  o[2] = size_of<float>;
// CHECK: OpStore {{%[0-9]+}} %uint_8
  o[3] = size_of<double>;
}
