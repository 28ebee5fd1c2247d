// RUN: -T ps_6_2 -E main -enable-16bit-types -fcgl

// DXC's text: sampled types of 16 bits.
// CHECK: OpTypeImage %short Buffer 2 0 0 2 Unknown
RWBuffer<int16_t2> stores;

void main() {
// CHECK: [[read:%[0-9]+]] = OpImageRead %v4short
// CHECK-NEXT: [[two:%[0-9]+]] = OpVectorShuffle %v2short [[read]] [[read]] 0 1
// CHECK: OpImageWrite {{%[0-9]+}} %uint_0 {{%[0-9]+}} None
  stores[0].x += (int16_t)3;
}
