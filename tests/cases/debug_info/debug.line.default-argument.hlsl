// RUN: -T cs_6_0 -E main -fcgl -Zi
// A default argument stands where the function is declared, whatever calls it.

// CHECK: OpLine [[file:%[0-9]+]] 23 31
// CHECK-NEXT: OpAccessChain %_ptr_Uniform_float %_Globals %int_0
// CHECK: OpLine [[file]] 26 16
// CHECK-NEXT: OpFunctionCall %float %near
// CHECK: OpLine [[file]] 20 21
// CHECK-NEXT: OpAccessChain %_ptr_Uniform_float %_Globals %int_0
// CHECK: OpLine [[file]] 20 27
// CHECK-NEXT: OpFMul %float
// CHECK: OpLine [[file]] 21 21
// CHECK-NEXT: OpExtInst %float {{%[0-9]+}} NMax
// CHECK: OpLine [[file]] 26 12
// CHECK-NEXT: OpFunctionCall %float %far
static const uint kFirst = 7, kSecond = 9;
RWStructuredBuffer<float> o;
float scale;
float far(float a,
          float b = scale * kSecond,
          float c = max(scale,
                        kFirst)) { return a + b + c; }
float near(float a, float b = scale);
float near(float a, float b) { return a * b; }
[numthreads(1, 1, 1)] void main() {
    o[0] = far(near(2));
}
