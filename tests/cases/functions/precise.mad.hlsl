// RUN: -T cs_6_0 -E main -fcgl
// RUN: -T cs_6_0 -E main -fcgl -Gis
// The two steps of an integer mad are NoContraction once each, precise or not.

// CHECK: OpDecorate [[product:%[0-9]+]] NoContraction
// CHECK: OpDecorate [[total:%[0-9]+]] NoContraction
// CHECK-NOT: NoContraction
// CHECK: [[product]] = OpIMul %int
// CHECK: [[total]] = OpIAdd %int [[product]]
RWStructuredBuffer<int> o;
[numthreads(1, 1, 1)] void main() {
    precise int x = mad(o[0], o[1], o[2]);
    o[3] = x;
}
