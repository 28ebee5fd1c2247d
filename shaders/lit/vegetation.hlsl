// Trees and grass: wind by hierarchy (trunk, branch, leaf), two-sided lighting, alpha to coverage or alpha test.
#include "frame.hlsli"
#include "common.hlsli"
#include "noise.hlsli"

namespace wind
{
    static const float GUST = 0.35;

    float smoothTriangle(float x)
    {
        const float t = abs(frac(x + 0.5) * 2.0 - 1.0);
        return t * t * (3.0 - 2.0 * t);
    }

    float4 smoothTriangle(float4 x)
    {
        const float4 t = abs(frac(x + 0.5) * 2.0 - 1.0);
        return t * t * (3.0 - 2.0 * t);
    }

    float3 bend(float3 p, float amount)
    {
        const float reach = length(p);
        p.xz += windDirection * amount * square(saturate(p.y * 0.1));
        return normalize(p + EPSILON) * reach;
    }

    float3 flutter(float3 p, float3 normal, float4 colour, float phase)
    {
        const float2 t = time * float2(1.975, 0.793) + phase + colour.r;
        const float4 waves = smoothTriangle(float4(t.x, t.x * 0.375, t.y, t.y * 0.193)) * 2.0 - 1.0;
        const float2 sums = waves.xz + waves.yw;
        return p + float3(sums.x * colour.g * normal.xz, sums.y * colour.b).xzy * 0.05;
    }
}

struct Plant
{
    float4 positionAndScale;
    float2 rotation;        // cosine, sine
    float phase;
    uint kind;
};

StructuredBuffer<Plant> plants : register(t0, space1);
Texture2D<float4> leaves[3] : register(t1, space1);
SamplerState anisotropic : register(s0, space1);

struct Interpolants
{
    float4 clip : SV_Position;
    float3 world : POSITION;
    float3 normal : NORMAL;
    float2 uv : TEXCOORD0;
    nointerpolation uint kind : KIND;
};

Interpolants VSMain(float3 position : POSITION, float3 normal : NORMAL, float4 colour : COLOR, float2 uv : TEXCOORD,
                    uint instance : SV_InstanceID)
{
    const Plant plant = plants[instance];
    const float gust = fbm(plant.positionAndScale.xz * 0.05 + windDirection * time * 0.3, 2) * wind::GUST;
    float3 p = wind::bend(position, gust + 0.1 * wind::smoothTriangle(time * 0.1 + plant.phase));
    p = wind::flutter(p, normal, colour, plant.phase);
    const float2x2 turn = { plant.rotation.x, -plant.rotation.y, plant.rotation.y, plant.rotation.x };
    p.xz = mul(turn, p.xz);

    Interpolants o;
    o.world = p * plant.positionAndScale.w + plant.positionAndScale.xyz;
    o.normal = float3(mul(turn, normal.xz), normal.y).xzy;
    o.uv = uv;
    o.kind = plant.kind;
    o.clip = toClip(o.world);
    return o;
}

#if ALPHA_TO_COVERAGE
float4 PSMain(Interpolants i, bool front : SV_IsFrontFace, out uint coverage : SV_Coverage) : SV_Target
#else
float4 PSMain(Interpolants i, bool front : SV_IsFrontFace) : SV_Target
#endif
{
    float4 albedo;
    switch (i.kind)
    {
    case 0: albedo = leaves[0].Sample(anisotropic, i.uv); break;
    case 1: albedo = leaves[1].Sample(anisotropic, i.uv); break;
    default: albedo = leaves[2].Sample(anisotropic, i.uv); break;
    }
#if ALPHA_TO_COVERAGE
    const float sharpened = saturate((albedo.a - 0.5) / max(fwidth(albedo.a), 1e-4) + 0.5);
    coverage = (1u << uint(sharpened * 4.0 + 0.5)) - 1u;
#else
    clip(albedo.a - 0.5);
#endif
    const float3 n = normalize(front ? i.normal : -i.normal);
    const float through = saturate(dot(-n, -sunDirection)) * 0.5;
    const float direct = saturate(dot(n, -sunDirection));
    return float4(albedo.rgb * (sunColour * (direct + through) + 0.05), albedo.a);
}
