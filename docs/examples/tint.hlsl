// The shader of README.md, with mistakes: docs/error_picture.py draws its messages.
Texture2D albedo : register(t0);
SamplerState linearWrap : register(s0);
cbuffer Material : register(b0) { float4 tint; float cutoff; };

struct Varyings
{
    float4 position : SV_Position;
    float2 uv : TEXCOORD0;
};

float4 PSMain(Varyings v) : SV_Target
{
    float2 uv = v.positon * (1.0 / 1024);
    float3 shade = albedo.Sample(linearWrap, uv);
    return float4(shade, 1.0) * tnit;
}
