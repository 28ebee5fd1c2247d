// RUN: -T cs_6_0 -E main counter.index.once.hlsl

// The index that reaches a buffer and its counter is evaluated once.
RWStructuredBuffer<uint> o;
AppendStructuredBuffer<uint> lists[4];
[numthreads(1, 1, 1)]
void main() {
  uint i = 1;
// CHECK: [[counter:%[0-9]+]] = OpAccessChain %_ptr_Uniform_int %counter_var_lists %uint_1 %uint_0
// CHECK: [[at:%[0-9]+]] = OpAtomicIAdd %int [[counter]]
// CHECK: OpAccessChain %_ptr_Uniform_uint %lists %uint_1 %uint_0 [[at]]
  lists[i++].Append(4);
// CHECK: OpStore {{%[0-9]+}} %uint_2
  o[0] = i;
}
