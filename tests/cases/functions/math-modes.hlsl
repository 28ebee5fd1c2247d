// RUN: -T cs_6_0 -E main -HV 202x -fcgl math-modes.hlsl

// Arithmetic in the math mode `strict` is decorated, that in `fast`, and that on which a value depends, is not.
// CHECK: OpDecorate [[QUOTIENT:%\w+]] NoContraction
// CHECK: OpDecorate [[PRODUCT:%\w+]] NoContraction
// CHECK: OpDecorate [[SUM:%\w+]] NoContraction
// CHECK-NOT: NoContraction
// CHECK: OpFNegate %float
// CHECK: [[QUOTIENT]] = OpFDiv %float
// CHECK: [[PRODUCT]] = OpFMul %float
// CHECK: [[SUM]] = OpFAdd %float
// CHECK: OpFSub %float
[hlsl::math_mode(strict)] float whole(float x, float y, float z) {
    float sum = x * y + z;
    [[hlsl::fast]] { sum -= z; }
    return sum;
}
RWBuffer<float> o;
[numthreads(1, 1, 1)] void main() {
    float negative = -o[1];
    float result = whole(o[1], o[2], o[3]);
    o[0] = [[hlsl::strict]] (negative / result);
}
