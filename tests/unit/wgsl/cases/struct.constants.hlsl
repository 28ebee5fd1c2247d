// RUN: -T cs_6_0 -E main
// A struct that only a constant mentions is declared.
struct Row { uint m0, m1, m2, m3, m4, m5, m6, m7, m8, m9; };
static const Row table[2] = { { 100, 101, 102, 103, 104, 105, 106, 107, 108, 109 },
                              { 200, 201, 202, 203, 204, 205, 206, 207, 208, 209 } };
RWStructuredBuffer<uint> o;

// CHECK: const constants = array<Row, 2>(Row(
// CHECK: struct Row {
[numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) { o[i] = table[i & 1].m1; }
