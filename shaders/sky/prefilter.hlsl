// Prefilters an environment for image-based light: GGX lobes into the mips of a cube, and irradiance harmonics.
#include "brdf.hlsli"

cbuffer Prefilter : register(b0)
{
    uint size;
    float roughness;
    float sourceSize;
    uint samples;
};

TextureCube<float4> environment : register(t0);
SamplerState linearClamp : register(s0);
RWTexture2DArray<float4> result : register(u0);
RWStructuredBuffer<float4> harmonics : register(u1);

groupshared float3 coefficients[9][64];

float3 directionOf(uint face, float2 uv)
{
    const float2 p = uv * 2.0 - 1.0;
    switch (face)
    {
    case 0: return float3(1.0, -p.y, -p.x);
    case 1: return float3(-1.0, -p.y, p.x);
    case 2: return float3(p.x, 1.0, p.y);
    case 3: return float3(p.x, -1.0, -p.y);
    case 4: return float3(p.x, -p.y, 1.0);
    default: return float3(-p.x, -p.y, -1.0);
    }
}

float2 sequence(uint i)
{
    return frac(float2(0.5, 0.5) + float(i) * float2(0.754877669, 0.569840296));
}

[numthreads(8, 8, 1)]
void CSMain(uint3 id : SV_DispatchThreadID)
{
    if (any(id.xy >= size))
        return;
    const float3 n = normalize(directionOf(id.z, (float2(id.xy) + 0.5) / float(size)));
    const float alpha = max(square(roughness), 1e-3);
    float3 t, b;
    basis(n, t, b);

    float4 sum = 0.0;
    for (uint i = 0; i < samples; ++i)
    {
        const float2 xi = sequence(i);
        const float c2 = (1.0 - xi.y) / (1.0 + (alpha * alpha - 1.0) * xi.y);
        const float c = sqrt(c2), s = sqrt(1.0 - c2);
        float2 turn;
        sincos(TWO_PI * xi.x, turn.x, turn.y);
        const float3 h = t * (s * turn.y) + b * (s * turn.x) + n * c;
        const float3 l = reflect(-n, h);
        const float nDotL = dot(n, l);
        if (nDotL <= 0.0)
            continue;
        const float density = brdf::distributionGGX(c, alpha) * 0.25 + EPSILON;
        const float solid = 1.0 / (float(samples) * density);
        const float texel = 4.0 * PI / (6.0 * sourceSize * sourceSize);
        const float level = roughness == 0.0 ? 0.0 : max(0.5 * log2(solid / texel) + 1.0, 0.0);
        sum += float4(environment.SampleLevel(linearClamp, l, level).rgb, 1.0) * nDotL;
    }
    result[id] = float4(sum.rgb / max(sum.a, EPSILON), 1.0);
}

void project(float3 d, float3 radiance, inout float3 sh[9])
{
    sh[0] += radiance * 0.282095;
    sh[1] += radiance * 0.488603 * d.y;
    sh[2] += radiance * 0.488603 * d.z;
    sh[3] += radiance * 0.488603 * d.x;
    sh[4] += radiance * 1.092548 * d.x * d.y;
    sh[5] += radiance * 1.092548 * d.y * d.z;
    sh[6] += radiance * 0.315392 * (3.0 * d.z * d.z - 1.0);
    sh[7] += radiance * 1.092548 * d.x * d.z;
    sh[8] += radiance * 0.546274 * (d.x * d.x - d.y * d.y);
}

[numthreads(64, 1, 1)]
void CSHarmonics(uint index : SV_GroupIndex)
{
    float3 sh[9] = (float3[9])0;
    for (uint i = index; i < 4096; i += 64)
    {
        const float2 xi = sequence(i);
        const float z = 1.0 - 2.0 * xi.x;
        const float r = sqrt(saturate(1.0 - z * z));
        const float3 d = float3(r * cos(TWO_PI * xi.y), r * sin(TWO_PI * xi.y), z);
        project(d, environment.SampleLevel(linearClamp, d, 3.0).rgb, sh);
    }
    [unroll]
    for (int k = 0; k < 9; ++k)
        coefficients[k][index] = sh[k];
    GroupMemoryBarrierWithGroupSync();
    if (index < 9)
    {
        float3 sum = 0.0;
        for (int j = 0; j < 64; ++j)
            sum += coefficients[index][j];
        harmonics[index] = float4(sum * (4.0 * PI / 4096.0), 0.0);
    }
}
