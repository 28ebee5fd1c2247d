// RUN: -T ps_6_0 -E main -O0
// RUN: -T ps_6_0 -E main -fcgl --check-prefix=NEST

// A chain of 64 links is one nest, and a longer one is divided into groups of 32.

#define L(i) else if (n == i) t += i;
#define L4(i) L(i) L(i + 1) L(i + 2) L(i + 3)
#define L16(i) L4(i) L4(i + 4) L4(i + 8) L4(i + 12)

// CHECK: %shorter = OpFunction
// CHECK-NOT: OpVariable %_ptr_Function_bool Function
// CHECK: %longer = OpFunction
// CHECK: OpStore %chain_searching %false
// CHECK: OpSelectionMerge [[FIRST:%if_merge\w*]] None
// CHECK: OpStore %chain_searching %true
// CHECK: [[FIRST]] = OpLabel
// CHECK-NEXT: [[GO_ON:%[0-9]+]] = OpLoad %bool %chain_searching
// CHECK-NEXT: OpSelectionMerge [[END:%\w+]] None
// CHECK-NEXT: OpBranchConditional [[GO_ON]] %chain_next [[END]]
// CHECK: %chain_next = OpLabel
// CHECK-NEXT: OpStore %chain_searching %false
// CHECK: OpStore %chain_searching %true
// CHECK: [[END]] = OpLabel
// CHECK-NEXT: [[LAST:%[0-9]+]] = OpLoad %bool %chain_searching
// CHECK-NEXT: OpSelectionMerge [[ALL:%\w+]] None
// CHECK-NEXT: OpBranchConditional [[LAST]] %chain_next_0 [[ALL]]
// CHECK-NOT: OpStore %chain_searching
// CHECK: [[ALL]] = OpLabel
// CHECK-NEXT: OpLoad %float %t
// CHECK-NEXT: OpReturnValue

// NEST-NOT: %chain_searching
float shorter(int n, float t) {
    if (n < 0) t -= n;
    L16(0) L16(16) L16(32) L4(48) L4(52) L4(56) L(60) L(61) L(62)
    return t;
}

float longer(int n, float t) {
    if (n < 0) t -= n;
    L16(0) L16(16) L16(32) L16(48)
    return t;
}

// Without a link that reaches its end no flag is read.
#define R(i) else if (n == i) return t + i;
#define R4(i) R(i) R(i + 1) R(i + 2) R(i + 3)
#define R16(i) R4(i) R4(i + 4) R4(i + 8) R4(i + 12)

// CHECK: %jumping = OpFunction
// CHECK-NOT: OpLoad %bool %chain_searching
// CHECK: OpFunctionEnd
float jumping(int n, float t) {
    if (n < 0) return t - n;
    R16(0) R16(16) R16(32) R16(48)
    return t;
}

float4 main(int n : N, float t : T) : SV_Target { return shorter(n, t) + longer(n, t) + jumping(n, t); }
