// RUN: -T ms_6_5 -E main -fspv-target-env=vulkan1.1spirv1.4 stage.mesh.optimised.hlsl

// The optimiser takes out an input that nobody reads, whatever extension there is.
// CHECK: OpEntryPoint MeshEXT %main "main" %gl_Position [[indices:%[0-9]+]]{{$}}
// CHECK: OpDecorate [[indices]] BuiltIn PrimitiveTriangleIndicesEXT
// CHECK-NOT: GlobalInvocationId
struct Vertex { float4 at : SV_Position; };

[outputtopology("triangle")]
[numthreads(64, 1, 1)]
void main(out vertices Vertex v[81], out indices uint3 t[128], uint id : SV_DispatchThreadID) {
// CHECK: OpSetMeshOutputsEXT %uint_81 %uint_128
  SetMeshOutputCounts(81, 128);
}
