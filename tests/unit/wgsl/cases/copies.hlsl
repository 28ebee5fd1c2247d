// RUN: -T ps_6_0 -E main -O0
// Structs of buffers are copied as a whole, components of a vector together, and tables of constants are not copied.
struct Light { float3 position; float range; float4 weights[4]; };
StructuredBuffer<Light> lights;
cbuffer Table { Light table; };

// CHECK: @group(0) @binding(0) var<storage, read> lights: array<Light>;
float4 main(float3 p : P, uint i : I) : SV_Target {
  // CHECK: let light = lights[i];
  Light light = lights[i];
  Light copied = table;
  // CHECK-NEXT: return vec4f(light.position - p, light.range) * Table.table.weights[i];
  return float4(light.position.xyz - p, light.range) * copied.weights[i];
}
