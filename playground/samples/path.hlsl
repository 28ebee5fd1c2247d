// A path tracer: each frame adds one path for each pixel to a buffer, so the picture converges. Restart clears it.
#include "noise.hlsli"

RWTexture2D<float4> picture : register(u0);
RWStructuredBuffer<float4> sums : register(u1);

cbuffer Settings : register(b2)
{
    float2 resolution;
    uint frame;
    int bounces;        // 1 .. 6 = 4
    float lightPower;   // 1 .. 20 = 8
    float3 tint;        // = #e0a050
};

struct Surface
{
    float t;
    float3 normal, albedo, emission;
};

void hitSphere(float3 o, float3 d, float3 centre, float radius, float3 albedo, float emission, inout Surface s)
{
    const float3 m = o - centre;
    const float b = dot(m, d), h = b * b - dot(m, m) + radius * radius;
    if (h < 0.0)
        return;
    const float root = sqrt(h), t = -b - root > 0.001 ? -b - root : -b + root;
    if (t < 0.001 || t > s.t)
        return;
    s.t = t;
    s.normal = (m + d * t) / radius;
    if (dot(s.normal, d) > 0.0)
        s.normal = -s.normal;
    s.albedo = albedo;
    s.emission = emission;
}

Surface trace(float3 o, float3 d)
{
    Surface s = { 1e9, 0.0.xxx, 0.0.xxx, 0.0.xxx };
    hitSphere(o, d, float3(0.0, -100.5, 0.0), 100.0, 0.75, 0.0, s);
    hitSphere(o, d, float3(-0.75, 0.0, 0.2), 0.5, tint, 0.0, s);
    hitSphere(o, d, float3(0.45, -0.15, -0.2), 0.35, float3(0.35, 0.55, 0.85), 0.0, s);
    hitSphere(o, d, float3(1.2, -0.3, -0.5), 0.2, float3(0.8, 0.35, 0.35), 0.0, s);
    hitSphere(o, d, float3(0.2, 1.9, -0.4), 0.6, 0.0, lightPower, s);
    return s;
}

[numthreads(8, 8, 1)]
void main(uint2 id : SV_DispatchThreadID)
{
    if (any(id >= uint2(resolution)))
        return;
    Random random;
    random.state = hash(uint3(id, frame));
    const float2 at = (float2(id) + float2(random.unit(), random.unit())) * 2.0 - resolution;
    float3 o = float3(0.0, 0.35, -3.2), d = normalize(float3(at.x, -at.y, resolution.y * 1.7));
    float3 light = 0.0, weight = 1.0;
    for (int i = 0; i < bounces; ++i)
    {
        const Surface s = trace(o, d);
        if (s.t > 1e8)
        {
            light += weight * lerp(0.25, float3(0.35, 0.45, 0.6), saturate(d.y));
            break;
        }
        light += weight * s.emission;
        weight *= s.albedo;
        o += d * s.t + s.normal * 0.001;
        d = normalize(s.normal + random.direction() * 0.999);
    }
    const uint place = id.y * uint(resolution.x) + id.x;
    float4 sum = frame > 1 ? sums[place] : 0.0;
    sum += float4(light, 1.0);
    sums[place] = sum;
    picture[id] = float4(pow(sum.rgb / sum.a, 1.0 / 2.2), 1.0);
}
