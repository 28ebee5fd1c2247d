// The shader of docs/how-to/bindings.md.
struct Material { float4 tint; };

float time;
ConstantBuffer<Material> material : register(b0);
Texture2D albedo : register(t0);
Texture2D detail : register(t1, space1);
SamplerState wrap;
[[vk::binding(7, 2)]] RWStructuredBuffer<uint> hits;
Texture2D forgotten : register(t5);

float4 PSMain(float2 uv : UV) : SV_Target
{
    hits.IncrementCounter();
    return albedo.Sample(wrap, uv * time) * detail.Sample(wrap, uv) * material.tint;
}
