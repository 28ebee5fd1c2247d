// Writes the G-buffer: standard materials from a bindless-like array of textures, with velocity.
#include "frame.hlsli"
#include "gbuffer.hlsli"
#include "material.hlsli"

struct DrawConstants
{
    float4x4 world;
    float4x4 previousWorld;
    uint material;
    uint shadingModel;
    float2 padding;
};

[[vk::push_constant]] ConstantBuffer<DrawConstants> draw;
StructuredBuffer<Material> materials : register(t0, space1);
Texture2D textures[64] : register(t1, space1);
SamplerState anisotropic : register(s0, space1);

struct Vertex
{
    [[vk::location(0)]] float3 position : POSITION;
    [[vk::location(1)]] float3 normal : NORMAL;
    [[vk::location(2)]] float4 tangent : TANGENT;
    [[vk::location(3)]] float2 uv : TEXCOORD0;
};

struct Interpolants
{
    float4 clip : SV_Position;
    float3 normal : NORMAL;
    float4 tangent : TANGENT;
    float2 uv : TEXCOORD0;
    float3 now : NOW;           // x, y, w
    float3 before : BEFORE;
};

Interpolants VSMain(Vertex v)
{
    Interpolants o;
    const float4 world = mul(draw.world, float4(v.position, 1.0));
    o.clip = mul(camera.viewProjection, world);
    o.normal = mul((float3x3)draw.world, v.normal);
    o.tangent = float4(mul((float3x3)draw.world, v.tangent.xyz), v.tangent.w);
    o.uv = v.uv;
    o.now = o.clip.xyw;
    o.before = mul(camera.previousViewProjection, mul(draw.previousWorld, float4(v.position, 1.0))).xyw;
    o.clip.xy += camera.jitter * o.clip.w;
    return o;
}

[earlydepthstencil]
GBuffer PSMain(Interpolants i)
{
    const Material material = materials[draw.material];
    const uint first = draw.material * 4;
    MaterialTextures sampled;
    sampled.baseColour = textures[first].Sample(anisotropic, i.uv);
    sampled.normal = textures[first + 1].Sample(anisotropic, i.uv).xyz;
    sampled.surface = textures[first + 2].Sample(anisotropic, i.uv).rgb;
    sampled.emissive = textures[first + 3].Sample(anisotropic, i.uv).rgb;
    const Surface surface = makeSurface(material, sampled, tangentFrame(normalize(i.normal), i.tangent));
    const float2 velocity = (i.now.xy / i.now.z - i.before.xy / i.before.z) * float2(0.5, -0.5);
    return encode(surface, (Shading)draw.shadingModel, velocity);
}
