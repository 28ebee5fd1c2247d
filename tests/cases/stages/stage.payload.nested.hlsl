// RUN: -T as_6_5 -E task -fcgl -fspv-extension=SPV_NV_mesh_shader
// RUN: -T ms_6_5 -E main -fcgl -fspv-extension=SPV_NV_mesh_shader --check-prefix=MESH

// With SPV_NV_mesh_shader each member of a structure in the payload is a variable; arrays of structures are whole.
// CHECK: OpDecorate %out_var_x Offset 0
// CHECK: OpDecorate %out_var_y Offset 8
// CHECK: OpDecorate %out_var_a Offset 16
// CHECK: OpDecorate %out_var_b Offset 32
// MESH: OpDecorate %in_var_x Offset 0
// MESH: OpDecorate %in_var_y Offset 8
// MESH: OpDecorate %in_var_a Offset 16
// MESH: OpDecorate %in_var_b Offset 32
struct Inner { float2 x; float y[2]; };
struct Payload { Inner inner; float4 a; Inner b[2]; };

groupshared Payload payload;

[numthreads(1, 1, 1)] void task(uint t : SV_GroupThreadID) {
  payload.a = t;
  payload.inner.x = 2;
// CHECK: [[inner:%[0-9]+]] = OpCompositeExtract %Inner {{%[0-9]+}} 0
// CHECK-NEXT: [[x:%[0-9]+]] = OpCompositeExtract %v2float [[inner]] 0
// CHECK-NEXT: OpStore %out_var_x [[x]]
// CHECK-NEXT: [[y:%[0-9]+]] = OpCompositeExtract %_arr_float_uint_2 [[inner]] 1
// CHECK-NEXT: OpStore %out_var_y [[y]]
  DispatchMesh(1, 2, 3, payload);
}

struct Vertex { float4 place : SV_Position; };

// MESH: [[x:%[0-9]+]] = OpLoad %v2float %in_var_x
// MESH-NEXT: [[y:%[0-9]+]] = OpLoad %_arr_float_uint_2 %in_var_y
// MESH-NEXT: [[inner:%[0-9]+]] = OpCompositeConstruct %Inner [[x]] [[y]]
// MESH-NEXT: [[a:%[0-9]+]] = OpLoad %v4float %in_var_a
[numthreads(1, 1, 1)] [outputtopology("triangle")]
void main(in payload Payload p, out vertices Vertex v[3], out indices uint3 i[1]) {
  SetMeshOutputCounts(3, 1);
  v[0].place = p.a + p.inner.x.xyxy + p.b[1].y[0];
  i[0] = uint3(0, 1, 2);
}
