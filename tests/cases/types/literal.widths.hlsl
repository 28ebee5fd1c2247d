// RUN: -T cs_6_0 -E main -fcgl -HV 2018

RWStructuredBuffer<uint64_t> o;
struct T { int i; int64_t j; };

// CHECK-LABEL: %src_main = OpFunction
[numthreads(1, 1, 1)] void main(uint x : SV_GroupIndex) {
// The literals are as wide as what they are for, and signed.
// CHECK: [[c:%[0-9]+]] = OpSelect %long {{%[0-9]+}} %long_1 %long_0
// CHECK: OpBitcast %ulong [[c]]
  o[0] = x < 64 ? 1 : 0;
// Nothing says how wide: as the value needs.
// CHECK: [[wide:%[0-9]+]] = OpIAdd %long %long_4294967296 %long_1
// CHECK: [[narrow:%[0-9]+]] = OpSConvert %int [[wide]]
// CHECK: OpCompositeConstruct %T [[narrow]] [[wide]]
  T t = (T)(0x100000000 + 1);
// CHECK: OpSwitch {{%[0-9]+}} {{%[a-z_0-9]+}} 12345678910 %switch_12345678910
  switch (o[1]) { case 12345678910: o[2] = 1; }
}
