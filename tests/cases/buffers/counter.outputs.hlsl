// RUN: -T cs_6_0 -E main -O0

// The counter of a buffer follows the buffer into a function and out of it, and out of a method.
RWStructuredBuffer<uint> a;
RWStructuredBuffer<uint> b;
static RWStructuredBuffer<uint> one;

struct S {
  RWStructuredBuffer<uint> buffer;
  uint x;
  void set() { buffer = a; }
};

void replace(inout RWStructuredBuffer<uint> x) { x.IncrementCounter(); x = a; }
void change(inout S s) { s.buffer.IncrementCounter(); s.buffer = b; }
void fill(out S s) { s.buffer = a; s.x = 1; }
void second(inout RWStructuredBuffer<uint> x[2]) { x[1] = a; }

[numthreads(1, 1, 1)] void main() {
// CHECK: OpAccessChain %_ptr_Uniform_int %counter_var_b
// CHECK: OpAccessChain %_ptr_Uniform_int %counter_var_a
  RWStructuredBuffer<uint> local = b;
  replace(local);
  local.DecrementCounter();
// CHECK: OpAccessChain %_ptr_Uniform_int %counter_var_b
// CHECK: OpAccessChain %_ptr_Uniform_int %counter_var_a
  one = b;
  replace(one);
  one.DecrementCounter();
// CHECK: OpAccessChain %_ptr_Uniform_int %counter_var_a
// CHECK: OpAccessChain %_ptr_Uniform_int %counter_var_b
// CHECK: OpAccessChain %_ptr_Uniform_int %counter_var_a
  S s;
  fill(s);
  change(s);
  s.buffer.DecrementCounter();
  s.set();
  s.buffer.DecrementCounter();
// CHECK: OpAccessChain %_ptr_Uniform_int %counter_var_a
// CHECK-NOT: %counter_var_b
  RWStructuredBuffer<uint> two[2];
  two[0] = two[1] = b;
  second(two);
  two[1].IncrementCounter();
}
