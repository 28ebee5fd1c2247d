// RUN: -T hs_6_0 -E main
// The control point's number may be a member of a structure: there is one variable for it.

// CHECK: OpDecorate [[number:%[A-Za-z_]+]] BuiltIn InvocationId
// CHECK-NOT: BuiltIn InvocationId
// CHECK: [[id:%[0-9]+]] = OpLoad %uint [[number]]
// CHECK: OpAccessChain %_ptr_Output_v3float %out_var_P [[id]]
struct CP { float3 p : P; };
struct PC { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; };
struct Which { uint number : SV_OutputControlPointID; uint patch : SV_PrimitiveID; };
PC edges(InputPatch<CP, 3> ip) {
    PC o;
    o.e[0] = o.e[1] = o.e[2] = o.i = ip[1].p.y;
    return o;
}
[domain("tri")][partitioning("integer")][outputtopology("triangle_cw")][outputcontrolpoints(3)]
[patchconstantfunc("edges")]
CP main(InputPatch<CP, 3> ip, Which w) { return ip[w.number]; }
