// RUN: -T ps_6_0 -E main
// Early returns, which the optimiser writes as exits of a list, are branches.
Texture2D<float> t;
SamplerState s;

float early(float2 uv) {
  if (uv.x > 0.5) return 1;
  if (uv.y > 0.5) return t.Sample(s, uv);
  return uv.x;
}

// CHECK-NOT: switch
// CHECK: if [[X:\w+]] > 0.5f {
// CHECK-NEXT: [[R:v[0-9]+]] = 1.0f;
// CHECK-NEXT: } else if UV.y > 0.5f {
// CHECK-NEXT: [[R]] = textureSample(t, s, UV).x;
// CHECK-NEXT: } else {
// CHECK-NEXT: [[R]] = [[X]];
float4 main(float2 uv : UV) : SV_Target { return early(uv) * 2; }
