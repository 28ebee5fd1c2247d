// RUN: -T cs_6_0 -E main -O0
// Variables that never change are constants, also those of functions; one that changes is not, nor one with an infinity,
// which WGSL can only compute in a function.
static const int SIZE = 16;
static const int HALF = SIZE / 2;
static const float SCALE = 1.0 / SIZE;
static const float3 UP = float3(0, 1, 0) * SCALE;
static const float LIMITS[2] = { 0, 1.0 / 0.0 };
static uint calls = 0;
RWStructuredBuffer<float> data;

// CHECK-DAG: const SIZE: i32 = 16i;
// CHECK-DAG: const HALF: i32 = 8i;
// CHECK-DAG: const SCALE: f32 = 0.0625f;
// CHECK-DAG: const UP: vec3f = vec3f(0.0f, 0.0625f, 0.0f);
// CHECK-DAG: const WEIGHTS: array<f32, 3> = array<f32, 3>(0.25f, 0.5f, 0.25f);
// CHECK-DAG: var<private> calls: u32;
// CHECK-DAG: var<private> LIMITS: array<f32, 2>;
float weight(uint i) {
  static const float WEIGHTS[3] = { 0.25, 0.5, 0.25 };
  calls++;
  // CHECK: return WEIGHTS[i] * UP.y;
  return WEIGHTS[i] * UP.y;
}

[numthreads(1, 1, 1)] void main(uint i : SV_GroupID) {
  data[i] = weight(i) + SCALE;
  for (int k = i; k < HALF; k++) data[k] = k;
  data[i + 1] = calls + LIMITS[i];
}
