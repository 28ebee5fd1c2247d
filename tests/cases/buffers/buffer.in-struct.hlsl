// RUN: -T cs_6_0 -E main
// RUN: -T cs_6_0 -E main -O0
// RUN: -T cs_6_0 -E main -fspv-target-env=vulkan1.3 -O0

// A struct with a buffer is a value with a pointer until legalisation, which -O0 does not leave out here.
// CHECK-NOT: OpCompositeConstruct
struct Place { ByteAddressBuffer words; uint at; };
ByteAddressBuffer given;
RWByteAddressBuffer result;

uint read(Place p) { return p.words.Load(p.at); }

[numthreads(1, 1, 1)] void main() {
  Place p = {given, 4};
  // CHECK: OpAccessChain %{{[A-Za-z0-9_]+}} %given
  result.Store(0, read(p));
}
