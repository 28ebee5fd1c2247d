// RUN: not -T ps_6_0 -E builtins
// RUN: not -T ps_6_0 -E blending --check-prefix=BLEND
// RUN: not -T vs_6_0 -E vertex --check-prefix=VERTEX
// RUN: not -T ps_6_0 -E targets --check-prefix=TARGET
// RUN: not -T vs_6_0 -E distances --check-prefix=DISTANCE
// RUN: not -T ps_6_0 -E integers --check-prefix=INTEGER

// CHECK: :11:5: error: cannot use vk::builtin and vk::location together
// CHECK: :11:5: error: PointSize builtin must be of float type
float4 builtins(
  [[vk::builtin("PointSize"), vk::location(5)]] int size : A) : SV_Target { return size; }

struct Blend {
// BLEND: error: dual-source blending should use vk::location 0
// BLEND: error: dual-source blending only accepts 0 or 1 as vk::index
  [[vk::location(1), vk::index(5)]] float4 a : SV_Target0;
  [[vk::location(0), vk::index(1)]] float4 b : SV_Target1;
};
Blend blending() { return (Blend)0; }

// VERTEX: error: vk::index only allowed in pixel shader
// VERTEX: error: vk::index should be used together with vk::location for dual-source blending
int vertex([[vk::index(1)]] int a : A) : B { return a; }

// TARGET: error: Multiple stage variables have a duplicated pair of location and index at 0 / 0 [HLSL0841]
void targets(out float4 x : SV_Target, out float4 y : SV_Target0) { x = y = 0; }

struct Distances {
// DISTANCE: error: elements for SV_ClipDistance variable 'whole' must be scalar, vector, or array with float type
  int3 whole[2] : SV_ClipDistance;
};
Distances distances() { return (Distances)0; }

struct Integers {
  float4 good : GOOD;
// INTEGER: :37:14: error: only nointerpolation mode allowed for integer input parameters
  linear int bad : BAD;
};
// INTEGER: SV_InnerCoverage must be of uint type.
float4 integers(Integers i, float all : SV_InnerCoverage) : SV_Target { return all; }
