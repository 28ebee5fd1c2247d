// RUN: not -T cs_6_6 -E main -HV 2021

// CHECK: error: named bit-field 'none' has zero width
// CHECK: error: size of bit-field 'wide' (40 bits) exceeds size of its type (32 bits)
// CHECK: warning: 'WIDTH' is a constant: the member is a bit-field of that width, where DXC reads a semantic
static const uint WIDTH = 3, FORTY = 40;
struct A { uint none : WIDTH - 3; };
struct B { uint wide : FORTY + 0; };
struct C { uint : 3; uint : 4; uint last : WIDTH; float f : WIDTH; };
[numthreads(1, 1, 1)] void main() { C c; }
