// Text from (multi-channel) distance fields: outline, glow, drop shadow, weight; crisp at any scale.
#include "packing.hlsli"

struct TextStyle
{
    float4 fill;
    float4 outline;
    float4 glow;
    float4 shadow;
    float2 shadowOffset;
    float weight;
    float outlineWidth;
    float glowWidth;
    float range;            // of the distance field, in texels
};

ConstantBuffer<TextStyle> style : register(b1);

cbuffer Page : register(b0)
{
    float4x4 projection;
    float2 atlasSize;
    float fontSize;
};

#if MULTI_CHANNEL
Texture2D<float4> glyphs : register(t0);
#else
Texture2D<float> glyphs : register(t0);
#endif
SamplerState linearClamp : register(s0);

struct Glyph
{
    float2 position : POSITION;
    float4 bounds : BOUNDS;
    float4 uv : TEXCOORD;
    uint colour : COLOR;
};

struct Interpolants
{
    float4 position : SV_Position;
    sample float2 uv : TEXCOORD;
    nointerpolation float4 colour : COLOR;
};

Interpolants VSMain(Glyph glyph, uint vertex : SV_VertexID)
{
    const float2 unit = float2(vertex & 1, vertex >> 1 & 1);
    Interpolants o;
    const float2 at = glyph.position + lerp(glyph.bounds.xy, glyph.bounds.zw, unit) * fontSize;
    o.position = mul(projection, float4(at, 0.0, 1.0));
    o.uv = lerp(glyph.uv.xy, glyph.uv.zw, unit);
    o.colour = unpackUnorm4(glyph.colour);
    return o;
}

float median(float3 v)
{
    return max(min(v.x, v.y), min(max(v.x, v.y), v.z));
}

float fieldAt(float2 uv)
{
#if MULTI_CHANNEL
    return median(glyphs.Sample(linearClamp, uv).rgb) - 0.5 + style.weight;
#else
    return glyphs.Sample(linearClamp, uv) - 0.5 + style.weight;
#endif
}

float4 over(float4 top, float4 bottom)
{
    return top + bottom * (1.0 - top.a);
}

float4 tint(float4 colour, float coverage)
{
    const float a = colour.a * coverage;
    return float4(colour.rgb * a, a);
}

float4 PSMain(Interpolants i) : SV_Target
{
    const float2 spread = style.range / atlasSize;
    const float2 screen = rcp(fwidth(i.uv));
    const float pixels = max(0.5 * dot(spread, screen), 1.0);

    const float d = fieldAt(i.uv);
    const float body = saturate(d * pixels + 0.5);
    float4 c = tint(style.fill * i.colour, body);
    if (style.outlineWidth > 0.0)
    {
        const float rim = saturate((d + style.outlineWidth) * pixels + 0.5);
        c = over(c, tint(style.outline, rim));
    }
    if (style.glowWidth > 0.0)
        c = over(c, tint(style.glow, smoothstep(-style.glowWidth, 0.0, d)));
    const float below = fieldAt(i.uv - style.shadowOffset / atlasSize);
    c = over(c, tint(style.shadow, saturate(below * pixels * 0.5 + 0.5)));
    clip(c.a - 1.0 / 255.0);
    return c;
}
