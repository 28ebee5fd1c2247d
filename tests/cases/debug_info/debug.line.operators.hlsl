// RUN: -T ps_6_0 -E main -Zi -fcgl
static int a, b;

// Operators work at their sign, loads and stores happen at the operand.
void main() {
    int c = (a + (b));
    a -= c;
    a++;
}

// CHECK: [[file:%[0-9]+]] = OpString "debug.line.operators.hlsl"
// CHECK: OpLine [[file]] 5 1
// CHECK-NEXT: %main = OpFunction
// CHECK: OpLine [[file]] 9 1
// CHECK-NEXT: OpReturn
// CHECK: OpLine [[file]] 5 1
// CHECK-NEXT: %src_main = OpFunction
// CHECK: OpLine [[file]] 6 14
// CHECK-NEXT: OpLoad %int %a
// CHECK-NEXT: OpLine [[file]] 6 19
// CHECK-NEXT: OpLoad %int %b
// CHECK-NEXT: OpLine [[file]] 6 16
// CHECK-NEXT: OpIAdd
// CHECK-NEXT: OpLine [[file]] 6 9
// CHECK-NEXT: OpStore %c
// CHECK-NEXT: OpLine [[file]] 7 10
// CHECK-NEXT: OpLoad %int %c
// CHECK-NEXT: OpLine [[file]] 7 5
// CHECK-NEXT: OpLoad %int %a
// CHECK-NEXT: OpLine [[file]] 7 7
// CHECK-NEXT: OpISub
// CHECK-NEXT: OpLine [[file]] 7 5
// CHECK-NEXT: OpStore %a
// CHECK: OpLine [[file]] 8 6
// CHECK-NEXT: OpIAdd
// CHECK: OpLine [[file]] 9 1
// CHECK-NEXT: OpReturn
