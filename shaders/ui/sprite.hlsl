// User interface: batched quads with rounded corners, borders, gradients, clipping rectangles; premultiplied alpha.
#include "packing.hlsli"

struct Quad
{
    float4 rectangle;       // x, y, width, height in pixels
    float4 uv;              // offset, scale
    uint2 gradient;         // two colours
    uint borderColour;
    float borderWidth;
    float4 radii;
    uint clip;
    uint texture_;
    float rotation;
    uint flags;
};

#define QUAD_TEXTURED 1u
#define QUAD_GRADIENT_VERTICAL 2u
#define QUAD_GREYSCALE 4u

cbuffer Screen : register(b0)
{
    float2 toNdc;
    float scale;
    float opacity;
    float4 clips[64];
};

StructuredBuffer<Quad> quads : register(t0);
Texture2DArray<float4> atlas : register(t1);
SamplerState linearClamp : register(s0);

struct Interpolants
{
    float4 position : SV_Position;
    float2 uv : TEXCOORD0;
    float2 local : TEXCOORD1;
    nointerpolation uint quad : QUAD;
};

Interpolants VSMain(uint vertex : SV_VertexID)
{
    const uint index = vertex / 6;
    const uint corner = (0x364u >> (vertex % 6) & 1u) | (vertex % 6 == 2 || vertex % 6 >= 4 ? 2u : 0u);
    const Quad quad = quads[index];
    const float2 unit = float2(corner & 1, corner >> 1);
    const float2 half_ = quad.rectangle.zw * 0.5;
    float s, c;
    sincos(quad.rotation, s, c);
    const float2 local = (unit - 0.5) * quad.rectangle.zw;
    const float2 pixel = quad.rectangle.xy + half_ + float2(local.x * c - local.y * s, local.x * s + local.y * c);

    Interpolants o;
    o.position = float4(pixel * scale * toNdc * float2(1, -1) + float2(-1, 1), 0, 1);
    o.uv = quad.uv.xy + unit * quad.uv.zw;
    o.local = local;
    o.quad = index;
    return o;
}

float roundedBox(float2 p, float2 half_, float4 radii)
{
    const float2 pair = p.x > 0.0 ? radii.yz : radii.xw;
    const float r = p.y > 0.0 ? pair.y : pair.x;
    const float2 q = abs(p) - half_ + r;
    return min(max(q.x, q.y), 0.0) + length(max(q, 0.0)) - r;
}

float4 premultiplied(uint packed)
{
    const float4 c = unpackUnorm4(packed);
    return float4(c.rgb * c.a, c.a);
}

float4 PSMain(Interpolants i) : SV_Target
{
    const Quad quad = quads[i.quad];
    const float4 rectangle = clips[quad.clip];
    if (any(i.position.xy < rectangle.xy) || any(i.position.xy >= rectangle.zw))
        discard;

    const float2 t = saturate(i.local / quad.rectangle.zw + 0.5);
    const float along = quad.flags & QUAD_GRADIENT_VERTICAL ? t.y : t.x;
    float4 c = lerp(premultiplied(quad.gradient.x), premultiplied(quad.gradient.y), along);
    if (quad.flags & QUAD_TEXTURED)
        c *= atlas.Sample(linearClamp, float3(i.uv, quad.texture_));
    if ((quad.flags & QUAD_GREYSCALE) != 0)
        c.rgb = dot(c.rgb, float3(0.299, 0.587, 0.114)).xxx;

    const float distance = roundedBox(i.local, quad.rectangle.zw * 0.5, quad.radii);
    const float pixel = max(fwidth(distance), 1e-4);
    const float inside = saturate(0.5 - distance / pixel);
    const float border = saturate(0.5 + (distance + quad.borderWidth) / pixel) * step(1e-3, quad.borderWidth);
    c = lerp(c, premultiplied(quad.borderColour), border);
    return c * (inside * opacity);
}
