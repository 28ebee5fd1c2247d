// Depth of field: circle of confusion, a half-resolution split into near and far, a golden-angle bokeh, the composite.
#include "fullscreen.hlsli"
#include "common.hlsli"

struct Lens
{
    float focusDistance;
    float focalLength;
    float aperture;
    float sensorHeight;
    float2 planes;
    float2 texel;
    float maxRadius;
};

ConstantBuffer<Lens> lens : register(b0);
Texture2D<float3> scene : register(t0);
Texture2D<float> depth : register(t1);
Texture2D<float> confusion : register(t2);
Texture2D<float4> halfScene : register(t3);
Texture2D<float4> blurred : register(t4);
SamplerState linearClamp : register(s0);
SamplerState pointClamp : register(s1);

static const float GOLDEN_ANGLE = 2.39996323;
#define RINGS 43

FullscreenVertex VSMain(uint id : SV_VertexID)
{
    return fullscreenTriangle(id);
}

float PSConfusion(FullscreenVertex i) : SV_Target
{
    const float z = linearDepth(depth.SampleLevel(pointClamp, i.uv, 0), lens.planes);
    const float k = lens.aperture * lens.focalLength / max(lens.focusDistance - lens.focalLength, EPSILON);
    const float diameter = k * (z - lens.focusDistance) / max(z, EPSILON) / lens.sensorHeight;
    return clamp(diameter / lens.texel.y * 0.5, -lens.maxRadius, lens.maxRadius);
}

float4 PSHalf(FullscreenVertex i) : SV_Target
{
    const float4 c = confusion.GatherRed(linearClamp, i.uv);
    const float nearest = min(min(c.x, c.y), min(c.z, c.w));
    const float farthest = maxComponent(c);
    const float chosen = -nearest > farthest ? nearest : farthest;
    return float4(scene.SampleLevel(linearClamp, i.uv, 0), chosen);
}

float4 PSBokeh(FullscreenVertex i) : SV_Target
{
    const float4 centre = halfScene.SampleLevel(linearClamp, i.uv, 0);
    const float radius = abs(centre.a);
    float4 near = 0.0, far = 0.0;
    float2 direction = float2(1.0, 0.0);
    const float2x2 turn = float2x2(cos(GOLDEN_ANGLE), -sin(GOLDEN_ANGLE), sin(GOLDEN_ANGLE), cos(GOLDEN_ANGLE));
    for (int n = 0; n < RINGS; ++n)
    {
        const float r = sqrt((float(n) + 0.5) / RINGS) * lens.maxRadius;
        direction = mul(turn, direction);
        const float4 there = halfScene.SampleLevel(linearClamp, i.uv + direction * r * lens.texel, 0);
        const float size = abs(there.a);
        const float reaches = smoothstep(r - 1.0, r + 1.0, there.a < 0.0 ? size : min(size, max(radius, size * 0.5)));
        if (there.a < 0.0)
            near += float4(there.rgb, 1.0) * reaches;
        else
            far += float4(there.rgb, 1.0) * reaches;
    }
    const float3 nearColour = near.a > 0.0 ? near.rgb / near.a : centre.rgb;
    const float3 farColour = far.a > 0.0 ? far.rgb / far.a : centre.rgb;
    const float cover = saturate(near.a * 2.0 / RINGS);
    return float4(lerp(farColour, nearColour, cover), max(cover, saturate(centre.a)));
}

float4 PSComposite(FullscreenVertex i) : SV_Target
{
    const float3 sharp = scene.SampleLevel(pointClamp, i.uv, 0);
    const float4 soft = blurred.SampleLevel(linearClamp, i.uv, 0);
    const float blur = smoothstep(0.1, 1.0, abs(confusion.SampleLevel(pointClamp, i.uv, 0)));
    return float4(lerp(sharp, soft.rgb, max(blur, soft.a * 0.5)), 1.0);
}
