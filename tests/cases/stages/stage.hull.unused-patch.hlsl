// RUN: -T hs_6_0 -E main -fcgl
// RUN: -T hs_6_0 -E main -fcgl -DUSED --check-prefix=USED

// A parameter is filled if the hull shader's function or the patch constant function uses it, not for its type alone.
struct Point { float4 place : PLACE; };
struct Constants {
  float edges[3] : SV_TessFactor;
  float inside : SV_InsideTessFactor;
};

Constants patch(InputPatch<Point, 3> ip, uint id : SV_PrimitiveID) {
  Constants c;
  c.edges[0] = c.edges[1] = c.edges[2] = 2;
#ifdef USED
  c.inside = ip[1].place.x + id;
#else
  c.inside = 1;
#endif
  return c;
}

// CHECK: %main = OpFunction
// CHECK-NOT: OpStore %param_var_ip
// CHECK-NOT: OpStore %param_var_id
// CHECK: OpFunctionCall %Point %src_main %param_var_ip %param_var_i
// CHECK: OpFunctionCall %Constants %patch %param_var_ip %param_var_id
// USED: OpStore %param_var_ip
// USED: OpStore %param_var_id
// USED: OpFunctionCall %Point %src_main %param_var_ip %param_var_i
[domain("tri")]
[partitioning("integer")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(3)]
[patchconstantfunc("patch")]
Point main(InputPatch<Point, 3> ip, uint i : SV_OutputControlPointID, uint id : SV_PrimitiveID) {
  Point p;
  p.place = i;
  return p;
}
