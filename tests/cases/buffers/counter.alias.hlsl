// RUN: -T cs_6_0 -E main -fcgl
// RUN: -T cs_6_0 -E main -O3 --check-prefix=LEGAL
// RUN: not -T cs_6_0 -E main -DARRAY -fcgl --check-prefix=ERROR
// RUN: not -T cs_6_0 -E main -DELEMENT -fcgl --check-prefix=ELEMENT

// What names a buffer has a Private variable beside it that points to the counter in use.
// CHECK: %counter_var_a = OpVariable %_ptr_Uniform_type_ACSBuffer_counter Uniform
// CHECK: %a = OpVariable
// CHECK-DAG: %counter_var_pick = OpVariable %_ptr_Private__ptr_Uniform_type_ACSBuffer_counter Private
// CHECK-DAG: %counter_var_s_0 = OpVariable %_ptr_Private__ptr_Uniform_type_ACSBuffer_counter Private
// CHECK-DAG: %counter_var_S_next_this_0 = OpVariable %_ptr_Private__ptr_Uniform_type_ACSBuffer_counter Private
// CHECK: OpStore %counter_var_b
// LEGAL: [[counter:%[0-9]+]] = OpAccessChain %_ptr_Uniform_int %counter_var_a %uint_0
// LEGAL: OpAtomicIAdd %int [[counter]] %uint_1 %uint_0 %int_1
// LEGAL: OpAtomicIAdd %int [[counter]] %uint_1 %uint_0 %int_1
RWStructuredBuffer<uint> a;
RWStructuredBuffer<uint> many[2];

struct S {
  RWStructuredBuffer<uint> buffer;
  RWStructuredBuffer<uint> buffers[2];
  uint next() { return buffer.IncrementCounter(); }
};

RWStructuredBuffer<uint> pick() { return a; }

[numthreads(1, 1, 1)] void main() {
  RWStructuredBuffer<uint> b = pick();
  b[b.IncrementCounter()] = 1;
  S s;
  s.buffer = b;
  b[s.next()] = 2;
#ifdef ARRAY
  s.buffers = many;
  // ERROR: :{{[0-9]+}}:3: fatal error: Cannot access associated counter variable for an array of buffers in a struct.
  s.buffers[0].IncrementCounter();
#elif defined(ELEMENT)
  // ELEMENT: fatal error: cannot find the associated counter variable [HLSL0692]
  b = s.buffers[1];
#endif
}
