// RUN: not -T cs_6_0 -E main

RWTexture2D<uint> image;
RWStructuredBuffer<uint> o;
[numthreads(1, 1, 1)] void main() {
  uint status;
  o[0] = image.Load(0, status);
  // CHECK: :9:10: error: an lvalue argument should be used for returning the operation status
  o[1] = image.Load(0, 0);
}
