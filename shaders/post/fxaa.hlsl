// Fast approximate anti-aliasing on luma: finds an edge, walks along it to its ends, blends across by the distance.
// QUALITY: how many steps the search takes.
#include "fullscreen.hlsli"

#ifndef QUALITY
#define QUALITY 1
#endif

cbuffer Antialiasing : register(b0)
{
    float2 texel;
    float edgeThreshold;
    float edgeThresholdMin;
    float subpixel;
};

Texture2D<float4> source : register(t0);    // luma in alpha
SamplerState linearClamp : register(s0);

#if QUALITY == 0
#define STEPS 4
static const float STEP[STEPS] = { 1.0, 1.5, 4.0, 12.0 };
#elif QUALITY == 1
#define STEPS 7
static const float STEP[STEPS] = { 1.0, 1.5, 2.0, 2.0, 2.0, 4.0, 8.0 };
#else
#define STEPS 12
static const float STEP[STEPS] = { 1.0, 1.0, 1.0, 1.0, 1.0, 1.5, 2.0, 2.0, 2.0, 2.0, 4.0, 8.0 };
#endif

FullscreenVertex VSMain(uint id : SV_VertexID)
{
    return fullscreenTriangle(id);
}

float luma(float2 uv)
{
    return source.SampleLevel(linearClamp, uv, 0.0).a;
}

float4 PSMain(FullscreenVertex i) : SV_Target
{
    const float4 centre = source.SampleLevel(linearClamp, i.uv, 0.0);
    const float m = centre.a;
    const float n = source.SampleLevel(linearClamp, i.uv, 0.0, int2(0, -1)).a;
    const float s = source.SampleLevel(linearClamp, i.uv, 0.0, int2(0, 1)).a;
    const float w = source.SampleLevel(linearClamp, i.uv, 0.0, int2(-1, 0)).a;
    const float e = source.SampleLevel(linearClamp, i.uv, 0.0, int2(1, 0)).a;

    const float high = max(m, max(max(n, s), max(w, e)));
    const float low = min(m, min(min(n, s), min(w, e)));
    const float range = high - low;
    if (range < max(edgeThresholdMin, high * edgeThreshold))
        return centre;

    const float nw = luma(i.uv + texel * float2(-1, -1)), ne = luma(i.uv + texel * float2(1, -1));
    const float sw = luma(i.uv + texel * float2(-1, 1)), se = luma(i.uv + texel * float2(1, 1));
    const float horizontal = abs(nw - 2.0 * w + sw) + 2.0 * abs(n - 2.0 * m + s) + abs(ne - 2.0 * e + se);
    const float vertical = abs(nw - 2.0 * n + ne) + 2.0 * abs(w - 2.0 * m + e) + abs(sw - 2.0 * s + se);
    const bool flat = horizontal >= vertical;

    const float one = flat ? n : w, two = flat ? s : e;
    const bool steepest = abs(one - m) >= abs(two - m);
    const float gradient = 0.25 * max(abs(one - m), abs(two - m));
    float across = flat ? texel.y : texel.x;
    if (steepest)
        across = -across;
    const float average = 0.5 * ((steepest ? one : two) + m);

    const float2 start = i.uv + (flat ? float2(0.0, across * 0.5) : float2(across * 0.5, 0.0));
    const float2 along = flat ? float2(texel.x, 0.0) : float2(0.0, texel.y);
    float2 left = start, right = start;
    float endLeft = 0.0, endRight = 0.0;
    bool doneLeft = false, doneRight = false;
    [loop]
    for (int k = 0; k < STEPS && !(doneLeft && doneRight); ++k)
    {
        if (!doneLeft)
        {
            left -= along * STEP[k];
            endLeft = luma(left) - average;
            doneLeft = abs(endLeft) >= gradient;
        }
        if (!doneRight)
        {
            right += along * STEP[k];
            endRight = luma(right) - average;
            doneRight = abs(endRight) >= gradient;
        }
    }

    const float toLeft = flat ? i.uv.x - left.x : i.uv.y - left.y;
    const float toRight = flat ? right.x - i.uv.x : right.y - i.uv.y;
    const bool nearer = toLeft < toRight;
    const bool crosses = ((nearer ? endLeft : endRight) < 0.0) != (m - average < 0.0);
    const float edge = crosses ? 0.5 - min(toLeft, toRight) / (toLeft + toRight) : 0.0;

    const float around = (2.0 * (n + s + w + e) + nw + ne + sw + se) / 12.0;
    const float contrast = smoothstep(0.0, 1.0, saturate(abs(around - m) / range));
    const float shift = max(edge, contrast * contrast * subpixel) * across;
    const float2 uv = i.uv + (flat ? float2(0.0, shift) : float2(shift, 0.0));
    return float4(source.SampleLevel(linearClamp, uv, 0.0).rgb, m);
}
