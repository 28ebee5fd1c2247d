// RUN: not -T cs_6_0 -E main -fcgl

string named = "a name";
[numthreads(1, 1, 1)] void main() {
// CHECK: {{[0-9]+}}:3: error: string variables are immutable in SPIR-V.
  named = "another";
}
