// Lighting inside a render pass: the G-buffer as input attachments, quality by specialisation constants.
#include "fullscreen.hlsli"
#include "gbuffer.hlsli"

[[vk::constant_id(0)]] const int QUALITY = 1;
[[vk::constant_id(1)]] const bool FOG = true;
[[vk::constant_id(2)]] const float FOG_DENSITY = 0.02;

[[vk::input_attachment_index(0)]] SubpassInput<float4> albedoInput;
[[vk::input_attachment_index(1)]] SubpassInput<float4> normalInput;
[[vk::input_attachment_index(2)]] SubpassInput<float4> emissiveInput;
[[vk::input_attachment_index(3)]] SubpassInput<float> depthInput;

struct LightPass
{
    float4x4 inverseViewProjection;
    float3 camera;
    float radius;
    float3 light;
    float intensity;
    float3 colour;
};

[[vk::binding(4, 0)]] ConstantBuffer<LightPass> pass;
[[vk::combinedImageSampler]] [[vk::binding(5, 0)]] Texture2D<float4> blueNoise;
[[vk::combinedImageSampler]] [[vk::binding(5, 0)]] SamplerState blueNoiseSampler;

struct Blended
{
    [[vk::location(0), vk::index(0)]] float4 colour : SV_Target0;
    [[vk::location(0), vk::index(1)]] float4 transmittance : SV_Target1;
};

Blended PSMain(FullscreenVertex i)
{
    uint model;
    const Surface s = decode(albedoInput.SubpassLoad(), normalInput.SubpassLoad(), emissiveInput.SubpassLoad(), model);
    const float depth = depthInput.SubpassLoad();
    const float4 clip = float4(i.uv * float2(2.0, -2.0) + float2(-1.0, 1.0), depth, 1.0);
    const float4 homogeneous = mul(pass.inverseViewProjection, clip);
    const float3 world = homogeneous.xyz / homogeneous.w;
    const float3 offset = pass.light - world;
    const float reach = length(offset);
    const float3 v = normalize(pass.camera - world);

    float3 lit;
    if (QUALITY > 1)
        lit = brdf::evaluate(s, v, offset / reach);
    else
        lit = s.albedo * INV_PI * saturate(dot(s.normal, offset / reach));
    lit *= pass.colour * pass.intensity * saturate(1.0 - reach / pass.radius) / max(reach * reach, 1e-3);
    lit += (blueNoise.Sample(blueNoiseSampler, i.position.xy / 64.0).r - 0.5) / 255.0;

    Blended o;
    float transmittance = 1.0;
    if (FOG)
        transmittance = exp(-FOG_DENSITY * distance(pass.camera, world));
    o.colour = float4(lit * transmittance, 1.0);
    o.transmittance = transmittance;
    return o;
}
