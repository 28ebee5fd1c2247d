// RUN: not -T cs_6_6 -E main -enable-16bit-types -D INTERLOCKED
// RUN: not -T cs_6_6 -E main -enable-16bit-types -fcgl --check-prefix=CODEGEN

RWTexture2D<int16_t> integers;
// CODEGEN: :6:19: error: The sampled type for textures cannot be a floating point type smaller than 32-bits
RWTexture2D<half> halves;

[numthreads(1, 1, 1)] void main() {
  halves[uint2(0, 0)] += 1;
#ifdef INTERLOCKED
  // CHECK: :12:3: error: no matching function for call to 'InterlockedAdd'
  InterlockedAdd(integers[uint2(0, 0)], (int16_t)1);
#endif
}
