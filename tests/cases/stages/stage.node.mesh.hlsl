// RUN: not -T lib_6_9 -fspv-target-env=vulkan1.3

struct Record { uint x; };
struct Corner { float4 at : SV_Position; };

// CHECK: stage.node.mesh.hlsl:8:19: error: a mesh node ([NodeLaunch("mesh")]) is not supported yet
// CHECK-NOT: error
[Shader("node")] [NodeLaunch("mesh")] [NodeDispatchGrid(1, 1, 1)] [NumThreads(32, 1, 1)] [OutputTopology("triangle")]
void main(DispatchNodeInputRecord<Record> r, out vertices Corner v[3], out indices uint3 t[1]) {
  SetMeshOutputCounts(3, 1);
}
