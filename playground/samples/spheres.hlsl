// Materials: metals in the upper row, others below, rougher from left to right. The header comes with the page.
#include "brdf.hlsli"

cbuffer Frame : register(b0)
{
    float2 resolution;
    float time;
    float exposure;     // 0.2 .. 4 = 1.4
    float3 albedo;      // = #d8a860
    float lightHeight;  // 0 .. 2 = 0.8
};

static const int columns = 6;

float4 main(float2 uv : TEXCOORD0) : SV_Target
{
    const float2 p = (uv * 2.0 - 1.0) * float2(resolution.x / resolution.y, 1.0);
    const float column = clamp(floor(p.x / 0.55 + 0.5 * columns), 0.0, columns - 1.0);
    const float2 centre = float2((column - 0.5 * columns + 0.5) * 0.55, p.y < 0.0 ? -0.35 : 0.35);
    const float2 local = (p - centre) / 0.25;
    const float r2 = dot(local, local);
    const float3 background = lerp(float3(0.16, 0.18, 0.22), float3(0.06, 0.07, 0.09), uv.y);
    if (r2 > 1.0)
        return float4(background, 1.0);

    Surface surface;
    surface.albedo = albedo;
    surface.metallic = p.y < 0.0 ? 1.0 : 0.0;
    surface.normal = float3(local.x, -local.y, sqrt(1.0 - r2));
    surface.roughness = lerp(0.12, 1.0, column / (columns - 1.0));
    surface.emissive = 0.0;
    surface.occlusion = 1.0;

    const float3 view = float3(0.0, 0.0, 1.0);
    float3 light = 0.0;
    [unroll] for (int i = 0; i < 3; ++i)
    {
        const float angle = time * 0.6 + 2.1 * i;
        const float3 direction = normalize(float3(sin(angle), lightHeight, 0.6 + cos(angle)));
        const float3 power = i == 0 ? float3(3.0, 2.8, 2.5) : float3(0.6, 0.8, 1.2);
        light += brdf::evaluate(surface, view, direction) * power;
    }
    const float3 f = brdf::fresnelSchlickRoughness(surface.normal.z, surface.f0(), surface.roughness);
    light += f * lerp(0.05, float3(0.5, 0.6, 0.75), surface.normal.y * 0.5 + 0.5) + surface.diffuseColour() * 0.12;
    const float3 mapped = 1.0 - exp(-light * exposure);
    return float4(lerp(background, pow(mapped, 1.0 / 2.2), smoothstep(1.0, 0.96, r2)), 1.0);
}
