// RUN: -T ps_6_0 -E main -fcgl

// CHECK: OpEntryPoint Fragment %main "main"
// CHECK: OpExecutionMode %main OriginUpperLeft
// CHECK: OpExecutionMode %main DepthReplacing
// CHECK-DAG: OpDecorate %gl_FragDepth BuiltIn FragDepth
// CHECK-DAG: OpDecorate %out_var_SV_Target0 Location 0
// CHECK-DAG: OpDecorate %out_var_SV_Target2 Location 2
struct Out { float4 a : SV_Target0; float2 b : SV_Target2; float depth : SV_Depth; };
Out main() { Out o; o.a = 1; o.b = 2; o.depth = 0.5; return o; }
