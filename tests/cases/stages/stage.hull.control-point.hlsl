// RUN: -T hs_6_0 -E main
// A hull shader that does not ask for its control point still writes its own one.

// CHECK: OpEntryPoint TessellationControl %main "main" {{.*}}%gl_InvocationID
// CHECK: OpDecorate %gl_InvocationID BuiltIn InvocationId
// CHECK: [[id:%[0-9]+]] = OpLoad %uint %gl_InvocationID
// CHECK: OpAccessChain %_ptr_Output_v3float %out_var_P [[id]]
// CHECK: OpIEqual %bool [[id]] %uint_0
struct CP { float3 p : P; };
struct PC { float e[3] : SV_TessFactor; float i : SV_InsideTessFactor; };
PC edges(InputPatch<CP, 3> ip, OutputPatch<CP, 3> op) {
    PC o;
    o.e[0] = op[2].p.x;
    o.e[1] = o.e[2] = o.i = ip[1].p.y;
    return o;
}
[domain("tri")][partitioning("integer")][outputtopology("triangle_cw")][outputcontrolpoints(3)]
[patchconstantfunc("edges")]
CP main(InputPatch<CP, 3> ip) { return ip[0]; }
