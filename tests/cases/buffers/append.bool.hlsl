// RUN: -T cs_6_0 -E main -fcgl
// RUN: -T cs_6_0 -E main

// A Boolean that goes from one buffer to another is copied as the integer that stands for it.  One that is a member, or
// that is converted, becomes 0 or 1.
struct S { bool member; };
ConsumeStructuredBuffer<bool> from;
ConsumeStructuredBuffer<bool2> from2;
ConsumeStructuredBuffer<S> structs;
ConsumeStructuredBuffer<int> numbers;
AppendStructuredBuffer<bool> to;
AppendStructuredBuffer<bool2> to2;

[numthreads(1, 1, 1)]
void main() {
// CHECK: [[to:%[0-9]+]] = OpAccessChain %_ptr_Uniform_uint %to
// CHECK: [[from:%[0-9]+]] = OpAccessChain %_ptr_Uniform_uint %from
// CHECK-NEXT: [[v:%[0-9]+]] = OpLoad %uint [[from]]
// CHECK-NEXT: OpStore [[to]] [[v]]
  to.Append(from.Consume());
// CHECK: [[v:%[0-9]+]] = OpLoad %v2uint
// CHECK-NEXT: OpStore {{%[0-9]+}} [[v]]
  to2.Append(from2.Consume());
// CHECK: OpAccessChain %_ptr_Uniform_uint
// CHECK: [[v:%[0-9]+]] = OpLoad %uint
// CHECK-NEXT: OpStore {{%[0-9]+}} [[v]]
  to.Append(from2.Consume().y);
// CHECK: OpAccessChain %_ptr_Uniform_{{.*}} %structs
// CHECK: OpINotEqual %bool
// CHECK: OpStore
  to.Append(structs.Consume().member);
// CHECK: OpAccessChain %_ptr_Uniform_int %numbers
// CHECK: OpINotEqual %bool
// CHECK: OpStore
  to.Append(numbers.Consume());
// CHECK: OpAccessChain %_ptr_Uniform_uint %from
// CHECK: OpINotEqual %bool
// CHECK: OpStore
  to2.Append(from.Consume());
}
