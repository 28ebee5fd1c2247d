// RUN: -T ps_6_0 -E main -fcgl
// Constants have no name where WGSL's compilers can evaluate what uses them.
static const float SCALE = 0.25;
// CHECK-NOT: let v{{[0-9]+}} = {{-?[0-9]}}
// CHECK-NOT: select({{true|false}}
// CHECK-NOT: == false
float4 main(float a : A, uint2 b : B, bool c : C) : SV_Target {
  float x = 2.0 * 3.0 + max(-1.0, 0.5) + clamp(a, 0, a + 1) + smoothstep(-a, 0, a);
  // CHECK: let y = b << vec2u(2u);
  uint2 y = b << 2;
  bool none = c == false;
  // CHECK: 6.0f + max(-1.0f, 0.5f) + clamp(a, 0.0f, a + 1.0f) + smoothstep(-a, 0.0f, a)
  // CHECK-SAME: select(0i, 1i, {{.*}}
  return float4(x * SCALE, y, none ? 1 : 0);
}
