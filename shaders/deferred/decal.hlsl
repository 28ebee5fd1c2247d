// Box decals: projects the scene's depth into the box and blends albedo and normal into the G-buffer.
#include "frame.hlsli"
#include "packing.hlsli"
#include "common.hlsli"

struct Decal
{
    row_major float4x4 world;
    row_major float4x4 inverseWorld;
    float4 atlas;           // offset, scale
    float angleFade;
    float opacity;
    uint blend;
    uint padding;
};

enum Blend { BLEND_REPLACE, BLEND_MULTIPLY, BLEND_ADD };

StructuredBuffer<Decal> decals : register(t0);
Texture2D<float> sceneDepth : register(t1);
Texture2D<float4> sceneAlbedo : register(t2);
Texture2D<float4> atlasAlbedo : register(t3);
Texture2D<float4> atlasNormal : register(t4);
SamplerState linearClamp : register(s0);

struct Interpolants
{
    float4 clip : SV_Position;
    nointerpolation uint decal : DECAL;
};

struct Output
{
    float4 albedo : SV_Target0;
    float4 normal : SV_Target1;
};

Interpolants VSMain(uint vertex : SV_VertexID, uint instance : SV_InstanceID)
{
    static const uint BOX[14] = { 3, 7, 1, 5, 4, 7, 6, 3, 2, 1, 0, 4, 2, 6 };
    const uint corner = BOX[vertex % 14];
    const float3 local = float3(corner & 1, (corner >> 1) & 1, corner >> 2) - 0.5;
    Interpolants o;
    o.clip = toClip(mul(decals[instance].world, float4(local, 1.0)).xyz);
    o.decal = instance;
    return o;
}

Output PSMain(Interpolants i)
{
    const Decal decal = decals[i.decal];
    const int3 pixel = int3(i.clip.xy, 0);
    const float2 screen = i.clip.xy * viewport.zw;
    const float3 world = fromDepth(screen, sceneDepth.Load(pixel));
    const float3 local = mul(decal.inverseWorld, float4(world, 1.0)).xyz;
    clip(0.5 - abs(local));

    const float3 geometry = normalize(cross(ddy(world), ddx(world)));
    const float3 axis = normalize(decal.world._m02_m12_m22);
    const float facing = smoothstep(decal.angleFade, 1.0, abs(dot(geometry, axis)));

    const float2 uv = (local.xy + 0.5) * decal.atlas.zw + decal.atlas.xy;
    const float2 dx = ddx_coarse(uv), dy = ddy_coarse(uv);
    float4 albedo = atlasAlbedo.SampleGrad(linearClamp, uv, dx, dy);
    const float3 bump = atlasNormal.SampleGrad(linearClamp, uv, dx, dy).xyz * 2.0 - 1.0;
    const float3 below = sceneAlbedo.Load(pixel).rgb;
    if (decal.blend == BLEND_MULTIPLY)
        albedo.rgb *= below;
    else if (decal.blend == BLEND_ADD)
        albedo.rgb += below;

    const float3 normal = normalize(mul(bump, tangentFrame(geometry, float4(decal.world._m00_m10_m20, 1.0))));
    Output o;
    o.albedo = float4(albedo.rgb, albedo.a * facing * decal.opacity);
    o.normal = float4(encodeNormal(normal), 0.0, o.albedo.a);
    return o;
}
