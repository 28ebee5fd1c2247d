// RUN: -T ps_6_0 -E main -fcgl
// Comparisons have the precision of what they compare; what is computed from booleans has none.

// CHECK: OpDecorate %26 RelaxedPrecision
// CHECK: OpDecorate %29 RelaxedPrecision
// CHECK: OpDecorate %32 RelaxedPrecision
// CHECK-NOT: RelaxedPrecision
// CHECK: %32 = OpFOrdGreaterThan %v4bool %26 %29
// CHECK: OpAny %bool %32
min16float4 v;
float4 main(min16float4 c : C) : SV_Target { return any(c > v); }
