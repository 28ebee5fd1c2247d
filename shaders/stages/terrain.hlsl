// Terrain: quad patches, tessellated by the length of their edges on screen, displaced by a height map.

cbuffer Camera : register(b0) {
    float4x4 viewProjection;
    float3 eye;
    float pixelsPerEdge;
    float2 viewport;
    float heightScale;
};

Texture2D<float> heights : register(t0);
SamplerState heightSampler : register(s0);

struct Corner {
    float3 position : POSITION;
    float2 uv : UV;
};

struct Factors {
    float edges[4] : SV_TessFactor;
    float inside[2] : SV_InsideTessFactor;
};

struct Surface {
    float4 clip : SV_Position;
    float3 position : POSITION;
    float2 uv : UV;
};

Corner VSMain(float2 grid : GRID, float2 uv : UV) {
    Corner corner;
    corner.uv = uv;
    corner.position = float3(grid.x, heights.SampleLevel(heightSampler, uv, 0) * heightScale, grid.y);
    return corner;
}

// How many pieces an edge needs: a sphere around it is as wide on screen from every side, so neighbours agree.
float EdgeFactor(float3 a, float3 b) {
    float3 middle = (a + b) * 0.5;
    float size = distance(a, b) / max(distance(middle, eye), 1e-3) * viewport.y;
    return clamp(size / pixelsPerEdge, 1, 64);
}

Factors PatchFactors(InputPatch<Corner, 4> corners) {
    Factors f;
    f.edges[0] = EdgeFactor(corners[0].position, corners[2].position);
    f.edges[1] = EdgeFactor(corners[0].position, corners[1].position);
    f.edges[2] = EdgeFactor(corners[1].position, corners[3].position);
    f.edges[3] = EdgeFactor(corners[2].position, corners[3].position);
    f.inside[0] = max(f.edges[1], f.edges[3]);
    f.inside[1] = max(f.edges[0], f.edges[2]);
    return f;
}

[domain("quad")]
[partitioning("fractional_odd")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(4)]
[patchconstantfunc("PatchFactors")]
[maxtessfactor(64)]
Corner HSMain(InputPatch<Corner, 4> corners, uint i : SV_OutputControlPointID) {
    return corners[i];
}

[domain("quad")]
Surface DSMain(Factors factors, float2 at : SV_DomainLocation, const OutputPatch<Corner, 4> corners) {
    Surface s;
    s.uv = lerp(lerp(corners[0].uv, corners[1].uv, at.x), lerp(corners[2].uv, corners[3].uv, at.x), at.y);
    s.position = lerp(lerp(corners[0].position, corners[1].position, at.x),
                      lerp(corners[2].position, corners[3].position, at.x), at.y);
    s.position.y = heights.SampleLevel(heightSampler, s.uv, 0) * heightScale;
    s.clip = mul(viewProjection, float4(s.position, 1));
    return s;
}
