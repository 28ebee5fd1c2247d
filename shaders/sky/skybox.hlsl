// The sky from a cube map, at the far plane; rotated, tinted, with a sun disc.
#include "frame.hlsli"
#include "common.hlsli"

cbuffer Sky : register(b1)
{
    row_major float3x3 rotation;
    float3 tint;
    float level;
    float sunSize;
    float sunIntensity;
};

TextureCube<float3> sky : register(t0);
#ifdef BLEND
TextureCube<float3> nextSky : register(t1);
cbuffer SkyBlend : register(b2) { float skyBlend; };
#endif
SamplerState linearClamp : register(s0);

struct Interpolants
{
    float4 clip : SV_Position;
    float3 direction : DIRECTION;
};

Interpolants VSMain(uint id : SV_VertexID)
{
    const float2 ndc = float2(id & 1, id >> 1) * 4.0 - 1.0;
    const float4 far = mul(camera.inverseViewProjection, float4(ndc, 1.0, 1.0));
    Interpolants o;
    o.direction = mul(rotation, far.xyz / far.w - camera.position);
    o.clip = float4(ndc, 1.0, 1.0);
    return o;
}

float4 PSMain(Interpolants i) : SV_Target
{
    const float3 d = normalize(i.direction);
    float3 c = sky.SampleLevel(linearClamp, d, level);
#ifdef BLEND
    c = lerp(c, nextSky.SampleLevel(linearClamp, d, level), skyBlend);
#endif
    const float towards = dot(d, mul(rotation, -sunDirection));
    const float disc = smoothstep(cos(sunSize), cos(sunSize * 0.9), towards);
    c += sunColour * disc * sunIntensity;
    return float4(c * tint * camera.exposure, 1.0);
}
