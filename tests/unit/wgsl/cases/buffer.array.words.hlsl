// RUN: -T cs_6_0 -E main -O0
// Arrays of buffers with one binding and several types are read word by word: all loads share one switch.
struct Material { float3 colour; uint flags; float weights[4]; };
[[vk::binding(0)]] StructuredBuffer<Material> materials[2];
[[vk::binding(0)]] StructuredBuffer<uint> numbers[2];
[[vk::binding(1)]] RWStructuredBuffer<float4> o;
// Those that nothing uses do not count.
[[vk::binding(8)]] StructuredBuffer<float4> colours[2];
[[vk::binding(8)]] StructuredBuffer<uint> unused[2];

// CHECK: @group(0) @binding(0) var<storage, read> materials_0: array<u32>;
// CHECK: @group(0) @binding({{.*}}) var<storage, read> materials_1: array<u32>;
// CHECK: var<storage, read> colours_0: array<vec4f>;
// CHECK: fn load_word_of_materials(index: u32, element: u32) -> u32 {
// CHECK-NEXT: switch index {
// CHECK-NEXT: case 0u: { return materials_0[element]; }
// CHECK-NEXT: default: { return materials_1[element]; }
// CHECK-NOT: case 0u
// CHECK: fn load_materials_colour(index: u32, element: u32) -> vec3f {
// CHECK: fn load_materials_weights(index: u32, element: u32, element_1: u32) -> f32 {
// CHECK-NEXT: return bitcast<f32>(load_word_of_materials(index, element * 8u + element_1 + 4u));
// CHECK: fn load_numbers(index: u32, element: u32) -> u32 {
// CHECK-NEXT: return load_word_of_materials(index, element);
[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {
  o[0] = float4(materials[id.x][id.y].colour, materials[id.x][id.z].weights[id.y]) * numbers[id.y][id.z] + colours[id.x][2];
}
