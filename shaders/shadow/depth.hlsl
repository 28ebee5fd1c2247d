// Renders casters into a cascade: depth only, with an alpha-tested pixel shader for foliage.
#include <shadows.hlsli>
#include <common.hlsli>

cbuffer CascadePass : register(b0)
{
    ShadowCascades cascades;
    uint cascadeIndex;
    float depthBias;
    float slopeBias;
};

struct Caster
{
    row_major float4x4 world;
};

StructuredBuffer<Caster> casters : register(t0);

struct AlphaInterpolants
{
    float4 clip : SV_Position;
    float2 uv : TEXCOORD0;
};

float4 place(float3 position, float3 normal, uint instance)
{
    const Caster caster = casters[instance];
    const float4 world = mul(caster.world, float4(position, 1.0));
    const float3 n = normalize(mul((float3x3)caster.world, normal));
    float4 clip = mul(cascades.matrices[cascadeIndex], world);
    const float3 toLight = -cascades.matrices[cascadeIndex][2].xyz;
    const float slope = sqrt(saturate(1.0 - square(dot(n, normalize(toLight)))));
    clip.z += (depthBias + slope * slopeBias) * clip.w;
    clip.z = max(clip.z, 0.0);      // casters in front of the near plane are flattened onto it
    return clip;
}

float4 VSMain(float3 position : POSITION, float3 normal : NORMAL, uint instance : SV_InstanceID) : SV_Position
{
    return place(position, normal, instance);
}

AlphaInterpolants VSAlpha(float3 position : POSITION, float3 normal : NORMAL, float2 uv : TEXCOORD0,
                          uint instance : SV_InstanceID)
{
    AlphaInterpolants o;
    o.clip = place(position, normal, instance);
    o.uv = uv;
    return o;
}

Texture2D<float4> mask : register(t1);
SamplerState linearWrap : register(s0);

void PSAlpha(AlphaInterpolants i)
{
    if (mask.Sample(linearWrap, i.uv).a < 0.5)
        discard;
}

float2 PSMoments(float4 position : SV_Position) : SV_Target
{
    const float depth = position.z;
    const float2 slope = float2(ddx_fine(depth), ddy_fine(depth));
    return float2(depth, depth * depth + 0.25 * dot(slope, slope));
}
