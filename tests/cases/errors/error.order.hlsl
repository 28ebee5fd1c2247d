// RUN: not -T vs_6_0 -E main

// Messages of the lowering come in the order in which their reasons are met: inputs first.
struct In { float4 f : ABC; };
struct Out { float4 g : ABC; };
// CHECK: error: input semantic 'ABC' used more than once
// CHECK: error: input semantic 'ABC' used more than once
// CHECK: error: output semantic 'ABC' used more than once
// CHECK: error: output semantic 'ABC' used more than once
void main(int a : ABC, int b : ABC, In c, out int u : ABC, out int v : ABC, out Out w) {}
