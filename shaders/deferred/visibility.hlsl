// Visibility buffer: triangle and draw number in one word, attributes fetched again in compute from raw geometry.
#include "frame.hlsli"
#include "common.hlsli"

struct VisibilityId
{
    uint triangle_ : 20;
    uint draw : 12;
};

struct Barycentric
{
    float2 value;

    float3 weights() { return float3(1.0 - value.x - value.y, value.x, value.y); }

    Barycentric operator+(Barycentric other)
    {
        Barycentric sum;
        sum.value = value + other.value;
        return sum;
    }

    Barycentric operator*(float scale)
    {
        Barycentric scaled;
        scaled.value = value * scale;
        return scaled;
    }
};

struct Draw
{
    float4x4 world;
    uint indexOffset;
    uint vertexOffset;
    uint stride;
    uint texture_;
};

struct PackedVertex
{
    float3 position;
    uint normal;
    float2 uv;
};

StructuredBuffer<Draw> draws : register(t0);
ByteAddressBuffer indices : register(t1);
ByteAddressBuffer vertices : register(t2);
Texture2D<uint> visibility : register(t3);
Texture2D<float4> textures[] : register(t0, space1);
SamplerState anisotropic : register(s0);
RWTexture2D<float4> result : register(u0);

struct Interpolants
{
    float4 clip : SV_Position;
    nointerpolation uint draw : DRAW;
};

PackedVertex vertexOf(Draw draw, uint number)
{
    return vertices.Load<PackedVertex>(draw.vertexOffset + number * draw.stride);
}

Interpolants VSMain(uint vertex : SV_VertexID, uint instance : SV_InstanceID)
{
    const Draw draw = draws[instance];
    const uint number = indices.Load<uint>(draw.indexOffset + vertex * 4);
    Interpolants o;
    o.clip = toClip(mul(draw.world, float4(vertexOf(draw, number).position, 1.0)).xyz);
    o.draw = instance;
    return o;
}

uint PSMain(Interpolants i, uint primitive : SV_PrimitiveID) : SV_Target
{
    VisibilityId id;
    id.triangle_ = primitive;
    id.draw = i.draw;
    return id.triangle_ | id.draw << 20;
}

Barycentric barycentric(float3 clip[3], float2 pixel)
{
    const float3 w = float3(clip[0].z, clip[1].z, clip[2].z);
    const float2 a = clip[0].xy / w.x, b = clip[1].xy / w.y, c = clip[2].xy / w.z;
    const float2 ab = b - a, ac = c - a, ap = pixel - a;
    const float area = ab.x * ac.y - ab.y * ac.x;
    float3 flat = float3(0.0, ap.x * ac.y - ap.y * ac.x, ab.x * ap.y - ab.y * ap.x) / area;
    flat.x = 1.0 - flat.y - flat.z;
    const float3 perspective = flat / w;
    Barycentric result;
    result.value = perspective.yz / dot(perspective, 1.0);
    return result;
}

[numthreads(8, 8, 1)]
void CSMain(uint3 id : SV_DispatchThreadID)
{
    const uint packed = visibility[id.xy];
    if (packed == 0xffffffffu)
        return;
    const Draw draw = draws[packed >> 20];
    const uint3 corners = indices.Load3(draw.indexOffset + (packed & 0xfffff) * 12);
    PackedVertex v[3];
    float3 clip[3];
    for (int i = 0; i < 3; ++i)
    {
        v[i] = vertexOf(draw, corners[i]);
        clip[i] = toClip(mul(draw.world, float4(v[i].position, 1.0)).xyz).xyw;
    }
    const float2 ndc = (float2(id.xy) + 0.5) * viewport.zw * float2(2.0, -2.0) + float2(-1.0, 1.0);
    Barycentric here = barycentric(clip, ndc);
    Barycentric right = barycentric(clip, ndc + float2(viewport.z * 2.0, 0.0));
    Barycentric change = right + here * -1.0;
    const float3 w = here.weights();
    const float2 uv = v[0].uv * w.x + v[1].uv * w.y + v[2].uv * w.z;
    const float2 d = (v[1].uv - v[0].uv) * change.value.x + (v[2].uv - v[0].uv) * change.value.y;
    result[id.xy] = textures[NonUniformResourceIndex(draw.texture_)].SampleGrad(anisotropic, uv, d, d.yx);
}
