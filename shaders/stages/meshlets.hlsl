// Meshlets: an amplification shader throws away those out of sight, a mesh shader unpacks the rest.

struct Meshlet {
    float4 sphere;
    uint firstVertex;
    uint vertexCount;
    uint firstTriangle;
    uint triangleCount;
};

cbuffer View : register(b0) {
    float4x4 viewProjection;
    float4 planes[6];
    uint meshletCount;
};

StructuredBuffer<Meshlet> meshlets : register(t0);
StructuredBuffer<float3> positions : register(t1);
StructuredBuffer<uint> vertexIndices : register(t2);
StructuredBuffer<uint> triangles : register(t3);  // three bytes each

struct Visible {
    uint indices[32];
};

struct Vertex {
    float4 clip : SV_Position;
    float3 position : POSITION;
};

struct Primitive {
    uint meshlet : MESHLET;
};

groupshared Visible visible;
groupshared uint visibleCount;

bool IsVisible(float4 sphere) {
    for (uint i = 0; i < 6; ++i)
        if (dot(planes[i].xyz, sphere.xyz) + planes[i].w < -sphere.w)
            return false;
    return true;
}

[numthreads(32, 1, 1)]
void ASMain(uint id : SV_DispatchThreadID, uint lane : SV_GroupIndex) {
    if (lane == 0)
        visibleCount = 0;
    GroupMemoryBarrierWithGroupSync();
    if (id < meshletCount && IsVisible(meshlets[id].sphere)) {
        uint slot;
        InterlockedAdd(visibleCount, 1, slot);
        visible.indices[slot] = id;
    }
    GroupMemoryBarrierWithGroupSync();
    DispatchMesh(visibleCount, 1, 1, visible);
}

[outputtopology("triangle")]
[numthreads(64, 1, 1)]
void MSMain(uint lane : SV_GroupIndex, uint group : SV_GroupID, in payload Visible seen,
            out vertices Vertex vertices[64], out indices uint3 faces[124], out primitives Primitive primitives[124]) {
    uint index = seen.indices[group];
    Meshlet meshlet = meshlets[index];
    SetMeshOutputCounts(meshlet.vertexCount, meshlet.triangleCount);
    if (lane < meshlet.vertexCount) {
        Vertex v;
        v.position = positions[vertexIndices[meshlet.firstVertex + lane]];
        v.clip = mul(viewProjection, float4(v.position, 1));
        vertices[lane] = v;
    }
    for (uint t = lane; t < meshlet.triangleCount; t += 64) {
        uint packed = triangles[meshlet.firstTriangle + t];
        faces[t] = uint3(packed, packed >> 8, packed >> 16) & 0xff;
        primitives[t].meshlet = index;
    }
}
