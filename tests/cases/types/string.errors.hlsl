// RUN: not -T cs_6_0 -E main -fcgl

string named = "a name";
// CHECK: 5:8: error: Found uninitialized string variable.
string nothing;
[numthreads(1, 1, 1)] void main() {
}
