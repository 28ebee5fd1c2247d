// RUN: -T ps_6_0 -E main -fcgl
// RUN: -T ps_6_0 -E main -fcgl -Zpr --check-prefix=ROWS
// RUN: -T ps_6_0 -E main -fcgl -matrix-layout-column-major
// RUN: -T ps_6_0 -E main -fcgl -matrix-layout-row-major --check-prefix=ROWS

// A row of HLSL is a column of SPIR-V, so the decorations are the other way round.
// CHECK: OpMemberDecorate %type_C 0 Offset 0
// CHECK: OpMemberDecorate %type_C 0 MatrixStride 16
// CHECK: OpMemberDecorate %type_C 0 RowMajor
// CHECK: OpMemberDecorate %type_C 1 Offset 48
// CHECK: OpMemberDecorate %type_C 1 ColMajor
// CHECK: OpMemberDecorate %type_C 2 Offset 80
// CHECK: OpMemberDecorate %type_C 2 RowMajor
// CHECK: %mat2v3float = OpTypeMatrix %v3float 2

// ROWS: OpMemberDecorate %type_C 0 ColMajor
// ROWS: OpMemberDecorate %type_C 1 Offset 32
// ROWS: OpMemberDecorate %type_C 1 ColMajor
// ROWS: OpMemberDecorate %type_C 2 RowMajor
cbuffer C { float2x3 a; row_major float2x3 b; column_major float2x3 c; };
float4 main() : SV_Target { return a[0].xyzz + b[1].xyzz + c[0].x; }
