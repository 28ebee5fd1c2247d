// RUN: -T lib_6_6 -fcgl library.entries.hlsl

// Each entry point has stage variables of its own; a built-in is one variable for all.
// CHECK: OpEntryPoint Vertex %vs "vs" %in_var_A %gl_Position %out_var_T
// CHECK: OpEntryPoint Fragment %ps "ps" %in_var_T %out_var_SV_Target
// CHECK: OpEntryPoint GLCompute %one "one" %gl_GlobalInvocationID
// CHECK: OpEntryPoint GLCompute %two "two" %gl_GlobalInvocationID
// CHECK: OpExecutionMode %ps OriginUpperLeft
// CHECK: OpExecutionMode %one LocalSize 8 1 1
// CHECK: OpExecutionMode %two LocalSize 4 4 1
// CHECK: OpDecorate %shade LinkageAttributes "shade" Export
// CHECK: OpDecorate %in_var_A Location 0
// CHECK: OpDecorate %out_var_T Location 0
// CHECK: OpDecorate %in_var_T Location 0
// CHECK: OpDecorate %out_var_SV_Target Location 0

RWBuffer<uint> result;

uint helper(uint x) { return x * 2; }

export float4 shade(float4 c) { return c * 0.5; }

[shader("vertex")]
float4 vs(float4 a : A, out float4 t : T) : SV_Position {
  t = a;
  return a;
}

[shader("pixel")]
float4 ps(float4 t : T) : SV_Target { return shade(t); }

// Called by two entry points, written once.
[shader("compute")]
[numthreads(8, 1, 1)]
void one(uint id : SV_DispatchThreadID) { result[id] = helper(id); }

[shader("compute")]
[numthreads(4, 4, 1)]
void two(uint2 id : SV_DispatchThreadID) { result[id.x] = helper(id.y); }

// CHECK: %one = OpFunction
// CHECK: %src_one = OpFunction
// CHECK: OpFunctionCall %uint %helper
// CHECK: %two = OpFunction
// CHECK: %src_two = OpFunction
// CHECK: OpFunctionCall %uint %helper
// CHECK: %helper = OpFunction
// CHECK-NOT: %helper = OpFunction
