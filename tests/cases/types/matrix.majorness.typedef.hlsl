// RUN: -T ps_6_0 -E main -fcgl

// A name for an array of matrices has the order of the place where it was declared; a name for a matrix without an
// order takes the order of the place where it is used.

typedef float2x3 Before;
typedef float2x3 ArrayBefore[2];
typedef ArrayBefore SameArray;
#pragma pack_matrix(row_major)
typedef float2x3 After;
typedef float2x3 ArrayAfter[2];

// CHECK: OpMemberDecorate %type_C 0 ColMajor
// CHECK: OpMemberDecorate %type_C 1 RowMajor
// CHECK: OpMemberDecorate %type_C 2 RowMajor
// CHECK: OpMemberDecorate %type_C 3 ColMajor
cbuffer C { Before a; ArrayBefore b; SameArray c; Before d[2]; };

// CHECK: OpMemberDecorate %S 0 RowMajor
// CHECK: OpMemberDecorate %S 1 ColMajor
struct S { ArrayBefore a; float2x3 b; };
StructuredBuffer<S> s;

#pragma pack_matrix(column_major)

// CHECK: OpMemberDecorate %type_D 0 ColMajor
// CHECK: OpMemberDecorate %type_D 1 ColMajor
// CHECK: OpMemberDecorate %type_D 2 RowMajor
cbuffer D { After e; ArrayAfter f; float2x3 g; };

float3 main() : SV_Target {
    return a[0] + b[0][0] + c[0][0] + d[0][0] + e[0] + f[0][0] + g[0] + s[0].a[0][0] + s[0].b[0];
}
