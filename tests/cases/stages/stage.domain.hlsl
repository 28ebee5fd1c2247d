// RUN: -T ds_6_0 -E main -fcgl stage.domain.hlsl

// CHECK: OpEntryPoint TessellationEvaluation %main "main"
// CHECK: OpExecutionMode %main Triangles
// CHECK-DAG: OpDecorate %in_var_COLOR Patch
// CHECK-DAG: OpDecorate %in_var_COLOR Location 0
// CHECK-DAG: OpDecorate %in_var_PLACE Location 1
// CHECK: %in_var_PLACE = OpVariable %_ptr_Input__arr_v4float_uint_3 Input

struct Point { float4 place : PLACE; };
struct Constants {
  float edges[3] : SV_TessFactor;
  float inside : SV_InsideTessFactor;
  float4 color : COLOR;
};

// Vulkan's arrays of levels have four and two elements; the domain's place has three components.
// CHECK: [[levels:%[0-9]+]] = OpLoad %_arr_float_uint_4 %gl_TessLevelOuter
// CHECK: [[e0:%[0-9]+]] = OpCompositeExtract %float [[levels]] 0
// CHECK: [[e1:%[0-9]+]] = OpCompositeExtract %float [[levels]] 1
// CHECK: [[e2:%[0-9]+]] = OpCompositeExtract %float [[levels]] 2
// CHECK: OpCompositeConstruct %_arr_float_uint_3 [[e0]] [[e1]] [[e2]]
// CHECK: [[inner:%[0-9]+]] = OpLoad %_arr_float_uint_2 %gl_TessLevelInner
// CHECK: OpCompositeExtract %float [[inner]] 0
// CHECK: OpLoad %v3float %gl_TessCoord

[domain("tri")]
float4 main(Constants c, float3 at : SV_DomainLocation, const OutputPatch<Point, 3> p) : SV_Position {
  return p[0].place * at.x + p[1].place * at.y + p[2].place * at.z + c.color * c.inside;
}
