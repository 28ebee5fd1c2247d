// Colour grading: white balance, channel mixer, lift/gamma/gain, saturation by curve, then a look-up table in 3D.
#include "fullscreen.hlsli"
#include "colour.hlsli"
#include "common.hlsli"

#define LUT_SIZE 32

cbuffer Grading : register(b0)
{
    float3x3 whiteBalance;
    float3x3 channelMixer;
    float4 lift;
    float4 gammaInverse;
    float4 gain;
    float saturation;
    float contrast;
    float lutStrength;
    float hueShift;
};

Texture2D<float4> scene : register(t0);
Texture3D<float4> lut : register(t1);
Texture1D<float> saturationByHue : register(t2);
RWTexture3D<float4> bakedLut : register(u0);
SamplerState linearClamp : register(s0);
SamplerState linearWrap : register(s1);

FullscreenVertex VSMain(uint id : SV_VertexID)
{
    return fullscreenTriangle(id);
}

float3 rgbToHsv(float3 c)
{
    const float high = maxComponent(c), low = minComponent(c);
    const float chroma = high - low;
    float hue = 0.0;
    if (chroma > EPSILON)
    {
        if (high == c.r)
            hue = fmod((c.g - c.b) / chroma + 6.0, 6.0);
        else if (high == c.g)
            hue = (c.b - c.r) / chroma + 2.0;
        else
            hue = (c.r - c.g) / chroma + 4.0;
    }
    return float3(hue / 6.0, chroma / max(high, EPSILON), high);
}

float3 hsvToRgb(float3 c)
{
    const float3 p = abs(frac(c.xxx + float3(1.0, 2.0 / 3.0, 1.0 / 3.0)) * 6.0 - 3.0);
    return c.z * lerp(1.0, saturate(p - 1.0), c.y);
}

float3 grade(float3 c)
{
    c = mul(whiteBalance, c);
    c = mul(channelMixer, c);
    c = (c - 0.18) * contrast + 0.18;
    c = max(c * gain.rgb * gain.a + lift.rgb + lift.a, 0.0);
    c = pow(c, gammaInverse.rgb * gammaInverse.a);
    float3 hsv = rgbToHsv(c);
    hsv.x = frac(hsv.x + hueShift);
    hsv.y *= saturation * saturationByHue.SampleLevel(linearWrap, hsv.x, 0) * 2.0;
    return hsvToRgb(hsv);
}

float4 PSMain(FullscreenVertex i) : SV_Target
{
    const float4 c = scene.Sample(linearClamp, i.uv);
    const float3 graded = saturate(grade(c.rgb));
    const float scale = (LUT_SIZE - 1.0) / LUT_SIZE, offset = 0.5 / LUT_SIZE;
    const float3 looked = lut.SampleLevel(linearClamp, colour::toSrgb(graded) * scale + offset, 0).rgb;
    return float4(lerp(graded, colour::fromSrgb(looked), lutStrength), c.a);
}

[numthreads(8, 8, 8)]
void CSBake(uint3 id : SV_DispatchThreadID)
{
    uint width, height, depth;
    bakedLut.GetDimensions(width, height, depth);
    if (any(id >= uint3(width, height, depth)))
        return;
    const float3 c = float3(id) / (float3(width, height, depth) - 1.0);
    bakedLut[id] = float4(colour::toSrgb(grade(colour::fromSrgb(c))), 1.0);
}
