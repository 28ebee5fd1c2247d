// RUN: -T cs_6_6 -E none -Od
// RUN: not -T cs_6_6 -E loads --check-prefix=LOADS
// RUN: not -T cs_6_6 -E stores --check-prefix=STORES
// RUN: not -T cs_6_6 -E part --check-prefix=PART
// RUN: not -T cs_6_6 -E size --check-prefix=SIZE
// RUN: not -T cs_6_6 -E heap --check-prefix=HEAP
// RUN: -T cs_6_6 -E loads -fcgl --check-prefix=CODEGEN

// Images that nothing reads or writes do not matter.
// CHECK: OpTypeImage %float Buffer
// CODEGEN: OpTypeImage %double Buffer
Buffer<double> numbers;
RWTexture2D<double2> image;
RWBuffer<float> o;

[numthreads(1, 1, 1)] void none() { o[0] = 1; }

// LOADS: :19:51: error: 'Buffer<double>' cannot be accessed: Vulkan has no images with 64-bit
[numthreads(1, 1, 1)] void loads() { o[0] = float(numbers[1]); }

// STORES: :22:39: error: 'RWTexture2D<double2>' cannot be accessed
[numthreads(1, 1, 1)] void stores() { image[uint2(0, 0)] = 1; }

// PART: :25:37: error: 'RWTexture2D<double2>' cannot be accessed
[numthreads(1, 1, 1)] void part() { image[uint2(0, 0)].x += 1; }

// SIZE: :28:45: error: 'RWTexture2D<double2>' cannot be accessed
[numthreads(1, 1, 1)] void size() { uint x; image.GetDimensions(x, x); o[0] = x; }

[numthreads(1, 1, 1)] void heap() {
  Texture2D<double> t = ResourceDescriptorHeap[1];
  // HEAP: :33:16: error: 'Texture2D<double>' cannot be accessed
  o[0] = float(t.Load(int3(0, 0, 0)));
}
