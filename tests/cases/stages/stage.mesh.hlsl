// RUN: -T ms_6_5 -E main -fspv-target-env=vulkan1.3 -fcgl stage.mesh.hlsl
// RUN: -T ms_6_5 -E main -fcgl stage.mesh.hlsl --check-prefix=NV
// RUN: -T ms_6_5 -E main -fspv-target-env=vulkan1.3 -fcgl -fvk-invert-y stage.mesh.hlsl --check-prefix=INVERT
// RUN: -T ms_6_5 -E main -fspv-target-env=vulkan1.3 stage.mesh.hlsl --check-prefix=FINAL
// RUN: not -T ms_6_5 -E whole stage.mesh.hlsl --check-prefix=WHOLE
// RUN: not -T ms_6_5 -E without stage.mesh.hlsl --check-prefix=WITHOUT

// CHECK: OpEntryPoint MeshEXT %main "main"
// CHECK: OpExecutionMode %main LocalSize 3 1 1
// CHECK: OpExecutionMode %main OutputTrianglesEXT
// CHECK: OpExecutionMode %main OutputVertices 3
// CHECK: OpExecutionMode %main OutputPrimitivesEXT 1
// CHECK: OpDecorate %out_var_TINT PerPrimitiveEXT
// CHECK: %in_var_load = OpVariable %_ptr_TaskPayloadWorkgroupEXT_Load TaskPayloadWorkgroupEXT
// NV: OpEntryPoint MeshNV %main "main"
// NV: OpDecorate %in_var_offset PerTaskNV
// NV: OpDecorate %in_var_offset Offset 16
// FINAL: OpSetMeshOutputsEXT %uint_3 %uint_1

struct Vertex { float4 position : SV_Position; float clip[2] : SV_ClipDistance; float2 uv : UV; };
struct Primitive { float4 tint : TINT; bool hidden : SV_CullPrimitive; };
struct Load { float4 tint; float2 offset; };

// The helper writes the same variables as the entry point.
void place(uint i, float2 uv, out vertices Vertex v[3]) { v[i].uv = uv; }

[outputtopology("triangle")]
[numthreads(3, 1, 1)]
void main(uint i : SV_GroupIndex, in payload Load load, out vertices Vertex v[3], out indices uint3 triangles[1],
          out primitives Primitive p[1]) {
// CHECK: %src_main = OpFunction
// CHECK: OpSetMeshOutputsEXT %uint_3 %uint_1
// NV: OpStore {{%[0-9]+}} %uint_1
  SetMeshOutputCounts(3, 1);
  Vertex made;
  made.position = float4(load.offset, 0, 1);
  made.clip[0] = made.clip[1] = 1;
  made.uv = 0;
  // A whole vertex: each member goes to its variable.
// CHECK: [[made:%[0-9]+]] = OpLoad %Vertex %made
// CHECK: [[position:%[0-9]+]] = OpCompositeExtract %v4float [[made]] 0
// CHECK: [[to:%[0-9]+]] = OpAccessChain %_ptr_Output_v4float %gl_Position
// CHECK: OpStore [[to]] [[position]]
// CHECK: OpAccessChain %_ptr_Output_float %gl_ClipDistance
// INVERT: OpFNegate %float
  v[i] = made;
  // A component of a member.
// CHECK: [[y:%[0-9]+]] = OpAccessChain %_ptr_Output_float %gl_Position {{%[0-9]+}} %uint_1
// CHECK: OpStore [[y]] %float_2
// INVERT: [[down:%[0-9]+]] = OpFNegate %float %float_2
// INVERT: OpStore {{%[0-9]+}} [[down]]
  v[i].position.y = 2;
  place(i, load.offset, v);
// CHECK: [[whole:%[0-9]+]] = OpAccessChain %_ptr_Output_v3uint {{%[0-9]+}} %int_0
// NV: OpIMul %uint %uint_0 %uint_3
  triangles[0] = uint3(0, 1, 2);
  p[0].tint = load.tint;
  p[0].hidden = false;
}
// CHECK: %place = OpFunction
// CHECK: OpAccessChain %_ptr_Output_v2float %out_var_UV {{%[0-9]+}}

// WHOLE: 'v' can only be assigned element by element
[outputtopology("point")] [numthreads(1, 1, 1)]
void whole(out vertices Vertex v[3], out indices uint points[1]) {
  Vertex all[3];
  v = all;
}

// WITHOUT: expected indices object declaration
[outputtopology("point")] [numthreads(1, 1, 1)]
void without(out vertices Vertex v[3]) { }
