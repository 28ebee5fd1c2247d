// RUN: -T cs_6_0 -E main -fcgl
// RUN: -T cs_6_0 -E main --check-prefix=FINAL

// As in DXC, a byte-address buffer with a binding is copied before it is returned; other buffers are not.
// FINAL-NOT: OpFunctionCall
ByteAddressBuffer bytes;
RWStructuredBuffer<uint> words;

// CHECK: %main = OpFunction
// CHECK: %bound = OpFunction
// CHECK: OpStore %temp_var_ret %bytes
// CHECK-NEXT: [[copy:%[0-9]+]] = OpLoad %_ptr_Uniform_type_ByteAddressBuffer %temp_var_ret
// CHECK-NEXT: OpReturnValue [[copy]]
ByteAddressBuffer bound() { return bytes; }

// CHECK: %passed = OpFunction
// CHECK: [[loaded:%[0-9]+]] = OpLoad %_ptr_Uniform_type_ByteAddressBuffer %buffer
// CHECK-NEXT: OpReturnValue [[loaded]]
ByteAddressBuffer passed(ByteAddressBuffer buffer) { return buffer; }

// CHECK: %structured = OpFunction
// CHECK: OpReturnValue %words
RWStructuredBuffer<uint> structured() { return words; }

[numthreads(1, 1, 1)] void main() { structured()[0] = bound().Load(0) + passed(bytes).Load(4); }
