// RUN: -T ps_6_2 -E main -Gis
// WGSL promises nothing about infinities and NaN: the mode of `-Gis` is left out, as `precise` is.
// CHECK: @fragment
// CHECK-NOT: SignedZero
float4 main(float4 c : COLOR) : SV_Target {
  // CHECK: return {{.*}} / {{.*}}.w;
  return c / c.w;
}
