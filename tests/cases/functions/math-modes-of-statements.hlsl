// RUN: -T cs_6_0 -E main -HV 202x -fcgl math-modes-of-statements.hlsl

// A math mode (`default` is `fast`) of an expression statement or of a return applies to its arithmetic.
// CHECK: OpDecorate [[SUM:%\w+]] NoContraction
// CHECK: OpDecorate [[PRODUCT:%\w+]] NoContraction
// CHECK-NOT: NoContraction
// CHECK: [[SUM]] = OpFAdd %float
// CHECK: OpFSub %float
// CHECK: [[PRODUCT]] = OpFMul %float
RWBuffer<float> o;
float product(float x) {
    [[hlsl::strict]] return x * 3;
}
[numthreads(1, 1, 1)] void main() {
    [[hlsl::strict]] o[0] = o[1] + 2;
    o[2] = product(o[3] - 1);
    [[hlsl::math_mode(default)]] o[4] = o[5] + o[6];
}
