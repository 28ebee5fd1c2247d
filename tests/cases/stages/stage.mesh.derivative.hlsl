// RUN: -T ms_6_6 -E main -fspv-target-env=vulkan1.3
// RUN: -T ms_6_6 -E main -fspv-target-env=vulkan1.1 -Vd --check-prefix=NV
// RUN: not -T ms_6_6 -E backwards --check-prefix=DIRECTION

// SPV_KHR_compute_shader_derivatives knows the mesh shaders of SPV_EXT_mesh_shader, not those of SPV_NV_mesh_shader.

// CHECK: OpCapability ComputeDerivativeGroupLinearKHR
// CHECK: OpExtension "SPV_KHR_compute_shader_derivatives"
// CHECK: OpEntryPoint MeshEXT %main "main"
// CHECK: OpExecutionMode %main DerivativeGroupLinearKHR
// NV: OpEntryPoint MeshNV %main "main"
// NV-NOT: OpExecutionMode %main DerivativeGroup

struct Vertex { float4 position : SV_Position; };

[numthreads(4, 1, 1)] [outputtopology("triangle")]
void main(uint i : SV_GroupThreadID, out vertices Vertex v[3], out indices uint3 t[1]) {
    SetMeshOutputCounts(3, 1);
    float4 step = ddx_coarse(float4(i, 0, 0, 0));
    v[0].position = step;
    v[1].position = step + 1;
    v[2].position = step + 2;
    t[0] = uint3(0, 1, 2);
}

// DIRECTION: derivative.hlsl:[[# @LINE + 3]]:16: error: 'vertices' object must be an out parameter
[numthreads(4, 1, 1)] [outputtopology("triangle")]
void backwards(uint i : SV_GroupThreadID, out indices uint3 t[1],
               in vertices Vertex v[3]) {
    SetMeshOutputCounts(3, 1);
}
