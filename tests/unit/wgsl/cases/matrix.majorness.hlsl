// RUN: -T vs_6_0 -E main
// HLSL's default majorness is SPIR-V's RowMajor: the memory holds the transpose.
cbuffer Camera {
  float4x4 view;
  // CHECK: struct Camera_block {
  // CHECK-NEXT: view: mat4x4f,
  // CHECK-NEXT: scale: mat4x4f,
  row_major float4x4 scale;
};

// CHECK: var<uniform> Camera: Camera_block;
float4 main(float4 p : POSITION) : SV_Position {
  // CHECK: return Camera.view * (Camera.scale * POSITION);
  return mul(view, mul(p, scale));
}
