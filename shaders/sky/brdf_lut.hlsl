// The two-term table of the split-sum approximation: scale and bias of F0 by angle and roughness.
#include "brdf.hlsli"

#ifndef SAMPLES
#define SAMPLES 512
#endif

[[vk::image_format("rg16f")]] RWTexture2D<float2> table : register(u0);

float radicalInverse(uint bits)
{
    return float(reversebits(bits)) * 2.3283064365386963e-10;
}

float2 hammersley(uint i, uint count)
{
    return float2(float(i) / float(count), radicalInverse(i));
}

float3 importanceSampleGGX(float2 xi, float alpha)
{
    const float phi = TWO_PI * xi.x;
    const float cosine = sqrt((1.0 - xi.y) / (1.0 + (alpha * alpha - 1.0) * xi.y));
    const float sine = sqrt(1.0 - cosine * cosine);
    return float3(cos(phi) * sine, sin(phi) * sine, cosine);
}

[numthreads(8, 8, 1)]
void CSMain(uint3 id : SV_DispatchThreadID)
{
    uint width, height;
    table.GetDimensions(width, height);
    if (id.x >= width || id.y >= height)
        return;
    const float nDotV = (float(id.x) + 0.5) / float(width);
    const float roughness = (float(id.y) + 0.5) / float(height);
    const float alpha = square(roughness);
    const float3 v = float3(sqrt(1.0 - nDotV * nDotV), 0.0, nDotV);

    float2 sum = 0.0;
    for (uint i = 0; i < SAMPLES; ++i)
    {
        const float3 h = importanceSampleGGX(hammersley(i, SAMPLES), alpha);
        const float3 l = 2.0 * dot(v, h) * h - v;
        if (l.z <= 0.0)
            continue;
        const float nDotH = saturate(h.z), vDotH = saturate(dot(v, h));
        const float visibility = brdf::visibilitySmith(nDotV, l.z, alpha) * 4.0 * l.z * vDotH / max(nDotH, EPSILON);
        const float fresnel = pow(1.0 - vDotH, 5.0);
        sum += visibility * float2(1.0 - fresnel, fresnel);
    }
    table[id.xy] = sum / float(SAMPLES);
}
