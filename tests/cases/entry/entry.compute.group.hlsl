// RUN: -T cs_6_0 -E work -fcgl

// CHECK: OpEntryPoint GLCompute %work "work" %gl_GlobalInvocationI{{[dD]}} %gl_LocalInvocationIndex
// CHECK: OpExecutionMode %work LocalSize 8 4 1
// CHECK-DAG: OpDecorate %gl_GlobalInvocationI{{[dD]}} BuiltIn GlobalInvocationId
// CHECK-DAG: OpDecorate %gl_LocalInvocationIndex BuiltIn LocalInvocationIndex
RWStructuredBuffer<uint> o;
[numthreads(8, 4, 1)] void work(uint3 id : SV_DispatchThreadID, uint i : SV_GroupIndex) { o[id.x] = i; }
