// RUN: -T vs_6_0 -E main -fcgl

// The wrapper loads every input, calls the source function and stores what it returned.
// CHECK: OpEntryPoint Vertex %main "main" %in_var_POSITION %in_var_TEXCOORD1 %gl_Position %out_var_UV
// CHECK-DAG: OpDecorate %gl_Position BuiltIn Position
// CHECK-DAG: OpDecorate %in_var_POSITION Location 0
// CHECK-DAG: OpDecorate %in_var_TEXCOORD1 Location 1
// CHECK-DAG: OpDecorate %out_var_UV Location 0
struct V { float4 position : SV_Position; float2 uv : UV; };

// CHECK: %main = OpFunction %void None
// CHECK: OpLoad %v3float %in_var_POSITION
// CHECK: OpLoad %v2float %in_var_TEXCOORD1
// CHECK: [[r:%[0-9]+]] = OpFunctionCall %V %src_main
// CHECK: [[p:%[0-9]+]] = OpCompositeExtract %v4float [[r]] 0
// CHECK: OpStore %gl_Position [[p]]
// CHECK: [[u:%[0-9]+]] = OpCompositeExtract %v2float [[r]] 1
// CHECK: OpStore %out_var_UV [[u]]
V main(float3 position : POSITION, float2 uv : TEXCOORD1) { V v; v.position = float4(position, 1); v.uv = uv; return v; }
