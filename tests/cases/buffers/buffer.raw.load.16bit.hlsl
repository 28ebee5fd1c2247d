// RUN: -T cs_6_2 -E main -fcgl -enable-16bit-types

// Which half of the word it is, is seen from the address when the shader runs.
// CHECK: [[at:%[0-9]+]] = OpLoad %uint %at
// CHECK: [[word:%[0-9]+]] = OpShiftRightLogical %uint [[at]] %uint_2
// CHECK: [[byte:%[0-9]+]] = OpUMod %uint [[at]] %uint_4
// CHECK: [[bits:%[0-9]+]] = OpShiftLeftLogical %uint [[byte]] %uint_3
// CHECK: [[pointer:%[0-9]+]] = OpAccessChain %_ptr_Uniform_uint %b %uint_0 [[word]]
// CHECK: [[whole:%[0-9]+]] = OpLoad %uint [[pointer]]
// CHECK: [[half:%[0-9]+]] = OpShiftRightLogical %uint [[whole]] [[bits]]
// CHECK: OpUConvert %ushort [[half]]
RWByteAddressBuffer b;
[numthreads(1, 1, 1)] void main(uint at : SV_DispatchThreadID) { b.Store(8, uint(b.Load<uint16_t>(at))); }
