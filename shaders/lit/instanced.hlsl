// Thousands of the same mesh: transforms and tints from a structured buffer, visible instances from an index list.
#include "frame.hlsli"
#include "common.hlsli"
#include "packing.hlsli"

struct Instance
{
    row_major float3x4 world;
    uint tint;
    uint flags;
    float2 fade;        // where it starts and ends to vanish
};

#define INSTANCE_HIGHLIGHTED 0x1u
#define INSTANCE_UNLIT 0x2u

StructuredBuffer<Instance> instances : register(t0);
Buffer<uint> visible : register(t1);
Texture2DArray<float4> albedo : register(t2);
SamplerState anisotropic : register(s0);

struct Interpolants
{
    float4 clip : SV_Position;
    float3 normal : NORMAL;
    float2 uv : TEXCOORD0;
    nointerpolation float4 tint : COLOR0;
    nointerpolation uint2 layerAndFlags : LAYER;
    float fade : FADE;
};

Interpolants VSMain(float3 position : POSITION, float3 normal : NORMAL, float2 uv : TEXCOORD0, uint layer : LAYER,
                    uint id : SV_InstanceID)
{
    const Instance instance = instances[visible[id]];
    const float3 world = mul(instance.world, float4(position, 1.0));
    const float distance = length(camera.position - world);

    Interpolants o;
    o.clip = toClip(world);
    o.normal = mul((float3x3)instance.world, normal);
    o.uv = uv;
    o.tint = unpackUnorm4(instance.tint);
    o.layerAndFlags = uint2(layer, instance.flags);
    o.fade = 1.0 - smoothstep(instance.fade.x, instance.fade.y, distance);
    return o;
}

static const float DITHER[4][4] =
{
    { 0.0 / 16.0, 8.0 / 16.0, 2.0 / 16.0, 10.0 / 16.0 },
    { 12.0 / 16.0, 4.0 / 16.0, 14.0 / 16.0, 6.0 / 16.0 },
    { 3.0 / 16.0, 11.0 / 16.0, 1.0 / 16.0, 9.0 / 16.0 },
    { 15.0 / 16.0, 7.0 / 16.0, 13.0 / 16.0, 5.0 / 16.0 },
};

float4 PSMain(Interpolants i) : SV_Target0
{
    const uint2 pixel = uint2(i.clip.xy) % 4;
    if (i.fade <= DITHER[pixel.y][pixel.x])
        discard;

    float4 colour = albedo.Sample(anisotropic, float3(i.uv, i.layerAndFlags.x)) * i.tint;
    const uint flags = i.layerAndFlags.y;
    if (!(flags & INSTANCE_UNLIT))
        colour.rgb *= saturate(dot(normalize(i.normal), -sunDirection)) * sunColour + 0.1;
    [branch]
    if (flags & INSTANCE_HIGHLIGHTED)
        colour.rgb = lerp(colour.rgb, float3(1.0, 0.8, 0.2), 0.5 + 0.5 * sin(time * 6.0));
    return colour;
}
