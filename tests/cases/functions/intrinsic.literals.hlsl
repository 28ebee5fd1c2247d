// RUN: -T cs_6_6 -E main -fcgl

RWByteAddressBuffer b;
groupshared int shared_int;

[numthreads(1, 1, 1)] void main() {
  int old;
  // A literal is unsigned unless it has a minus sign; what is asked for of the memory's type follows.
  // CHECK: OpAtomicUMin %uint {{%[0-9]+}} %uint_1 %uint_0 %uint_42
  b.InterlockedMin(0, 42);
  // CHECK: [[minus:%[0-9]+]] = OpBitcast %uint %int_n1
  // CHECK: OpAtomicSMin %uint {{%[0-9]+}} %uint_1 %uint_0 [[minus]]
  b.InterlockedMin(0, -1);
  // CHECK: [[ten:%[0-9]+]] = OpBitcast %int %uint_10
  // CHECK: OpAtomicSMax %int %shared_int %uint_2 %uint_0 [[ten]]
  InterlockedMax(shared_int, 10, old);
}
