// RUN: -T cs_6_0 -E main -fspv-use-unknown-image-format
// The format is a guess: one that WebGPU can read and write if texels of one component are written.
RWTexture2D<uint> counts;
RWTexture2D<float4> colours;

// CHECK: var counts: texture_storage_2d<r32uint, read_write>;
// CHECK: var colours: texture_storage_2d<rgba32float, write>;
[numthreads(8, 8, 1)] void main(uint2 at : SV_DispatchThreadID) {
  counts[at] = counts[at] + 1;
  colours[at] = 1;
}
