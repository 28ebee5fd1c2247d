// Rings of tori: an amplification shader leaves out those that are too far away, a mesh shader makes the rest.
#include "scene.hlsli"

static const uint around = 16, across = 8;

struct Plan {
    float4 placed[25];  // centre and size
    uint count;
};

struct Surface {
    float4 clip : SV_Position;
    float3 position : POSITION;
    float3 normal : NORMAL;
};

struct Face {
    nointerpolation float3 albedo : ALBEDO;
};

groupshared Plan plan;
groupshared uint planned;

[numthreads(32, 1, 1)]
void ASMain(uint lane : SV_GroupIndex) {
    if (lane == 0)
        planned = 0;
    GroupMemoryBarrierWithGroupSync();
    float2 at = float2(lane % 5, lane / 5) - 2;
    if (lane < 25 && dot(at, at) < 7) {
        uint slot;
        InterlockedAdd(planned, 1, slot);
        plan.placed[slot] = float4(at.x * 0.75, 0.25 * cos(dot(at, at)), at.y * 0.75, 0.3);
    }
    GroupMemoryBarrierWithGroupSync();
    if (lane == 0)
        plan.count = planned;
    GroupMemoryBarrierWithGroupSync();
    DispatchMesh(planned, 1, 1, plan);
}

[outputtopology("triangle")]
[numthreads(128, 1, 1)]
void MSMain(uint lane : SV_GroupIndex, uint group : SV_GroupID, in payload Plan seen,
            out vertices Surface surfaces[around * across], out indices uint3 faces[2 * around * across],
            out primitives Face primitives[2 * around * across]) {
    SetMeshOutputCounts(around * across, 2 * around * across);
    float4 placed = seen.placed[group];
    uint i = lane % around, j = lane / around;
    float2 big, small;
    sincos(i * (6.2831853 / around), big.y, big.x);
    sincos(j * (6.2831853 / across), small.y, small.x);
    Surface s;
    s.normal = float3(big.x * small.x, small.y, big.y * small.x);
    s.position = placed.xyz + placed.w * float3(big.x, 0, big.y) + placed.w * 0.4 * s.normal;
    s.clip = Project(s.position);
    surfaces[lane] = s;
    uint right = j * around + (i + 1) % around;
    uint above = (j + 1) % across * around + i;
    uint beyond = (j + 1) % across * around + (i + 1) % around;
    faces[2 * lane] = uint3(lane, above, right);
    faces[2 * lane + 1] = uint3(right, above, beyond);
    float3 albedo = lerp(float3(0.95, 0.75, 0.25), float3(0.35, 0.2, 0.5), (i & 1) ^ (j & 1));
    Face face;
    face.albedo = albedo * (0.7 + 0.3 * frac(placed.x * 3 + placed.z));
    primitives[2 * lane] = face;
    primitives[2 * lane + 1] = face;
}

// HLSL has no word for an input of a whole primitive; Vulkan wants the decoration on both sides.
[[vk::ext_capability(/* MeshShadingEXT */ 5283)]]
[[vk::ext_extension("SPV_EXT_mesh_shader")]]
float4 PSMain(Surface s, [[vk::ext_decorate(/* PerPrimitiveEXT */ 5271)]] nointerpolation float3 albedo : ALBEDO)
    : SV_Target {
    return float4(Lit(albedo, normalize(s.normal), s.position, 1), 1);
}
