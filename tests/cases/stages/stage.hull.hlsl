// RUN: -T hs_6_0 -E main -fcgl stage.hull.hlsl

// One invocation writes one control point; all wait; the first one calls the patch constant function.
// CHECK: OpEntryPoint TessellationControl %main "main"
// CHECK: OpExecutionMode %main Triangles
// CHECK: OpExecutionMode %main SpacingFractionalOdd
// CHECK: OpExecutionMode %main VertexOrderCw
// CHECK: OpExecutionMode %main OutputVertices 3
// CHECK: OpDecorate %gl_TessLevelOuter Patch
// CHECK: OpDecorate %out_var_COLOR Patch

// Locations go by the alphabet, since the domain shader reads both kinds of outputs.
// CHECK: OpDecorate %out_var_COLOR Location 0
// CHECK: OpDecorate %out_var_PLACE Location 1

struct Point { float4 place : PLACE; };
struct Constants {
  float edges[3] : SV_TessFactor;
  float inside : SV_InsideTessFactor;
  float4 color : COLOR;
};

Constants patch(InputPatch<Point, 3> ip, OutputPatch<Point, 3> op, uint id : SV_PrimitiveID) {
  Constants c;
  c.edges[0] = c.edges[1] = c.edges[2] = 2;
  c.inside = id;
  c.color = op[1].place + ip[0].place;
  return c;
}

// CHECK: %main = OpFunction
// CHECK: [[id:%[0-9]+]] = OpLoad %uint %gl_InvocationID
// CHECK: [[result:%[0-9]+]] = OpFunctionCall %Point %src_main %param_var_ip %param_var_i
// CHECK: [[place:%[0-9]+]] = OpCompositeExtract %v4float [[result]] 0
// CHECK: [[at:%[0-9]+]] = OpAccessChain %_ptr_Output_v4float %out_var_PLACE [[id]]
// CHECK: OpStore [[at]] [[place]]
// CHECK: OpControlBarrier %uint_2 %uint_4 %uint_0
// CHECK: [[element:%[0-9]+]] = OpAccessChain %_ptr_Function_Point %temp_var_hullMainRetVal %uint_1
// CHECK: [[to:%[0-9]+]] = OpAccessChain %_ptr_Function_v4float [[element]] %uint_0
// CHECK: [[from:%[0-9]+]] = OpAccessChain %_ptr_Output_v4float %out_var_PLACE %uint_1
// CHECK: [[value:%[0-9]+]] = OpLoad %v4float [[from]]
// CHECK: OpStore [[to]] [[value]]
// CHECK: [[first:%[0-9]+]] = OpIEqual %bool [[id]] %uint_0
// CHECK: OpBranchConditional [[first]] %if_true %if_merge
// CHECK: OpFunctionCall %Constants %patch %param_var_ip %temp_var_hullMainRetVal %param_var_id
// CHECK: OpAccessChain %_ptr_Output_float %gl_TessLevelOuter %uint_2
// CHECK: OpAccessChain %_ptr_Output_float %gl_TessLevelInner %uint_0
// CHECK: %patch = OpFunction
// CHECK: %src_main = OpFunction

[domain("tri")]
[partitioning("fractional_odd")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(3)]
[patchconstantfunc("patch")]
Point main(InputPatch<Point, 3> ip, uint i : SV_OutputControlPointID) { return ip[i]; }
