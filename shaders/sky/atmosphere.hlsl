// A physical sky: single scattering with Rayleigh, Mie and ozone, marched through the atmosphere of a sphere.
#include "frame.hlsli"
#include "fullscreen.hlsli"
#include "common.hlsli"

struct Atmosphere
{
    float3 rayleigh;
    float rayleighHeight;
    float3 mie;
    float mieHeight;
    float3 ozone;
    float mieAnisotropy;
    float groundRadius;
    float topRadius;
    int viewSteps;
    int lightSteps;
};

ConstantBuffer<Atmosphere> atmosphere : register(b1);

FullscreenVertex VSMain(uint id : SV_VertexID)
{
    return fullscreenTriangle(id);
}

/// The distances to a sphere around the origin; false where the ray misses.
bool intersect(float3 origin, float3 direction, float radius, out float2 distances)
{
    const float b = dot(origin, direction);
    const float c = dot(origin, origin) - radius * radius;
    const float discriminant = b * b - c;
    distances = 0.0;
    if (discriminant < 0.0)
        return false;
    const float root = sqrt(discriminant);
    distances = float2(-b - root, -b + root);
    return distances.y > 0.0;
}

struct Density
{
    float rayleigh, mie, ozone;
};

Density densityAt(float3 p)
{
    const float height = length(p) - atmosphere.groundRadius;
    Density d;
    d.rayleigh = exp(-height / atmosphere.rayleighHeight);
    d.mie = exp(-height / atmosphere.mieHeight);
    d.ozone = max(0.0, 1.0 - abs(height - 25000.0) / 15000.0);
    return d;
}

float3 extinction(Density d)
{
    return atmosphere.rayleigh * d.rayleigh + atmosphere.mie * d.mie * 1.11 + atmosphere.ozone * d.ozone;
}

float3 transmittanceToSun(float3 p)
{
    float2 hit;
    if (intersect(p, -sunDirection, atmosphere.groundRadius, hit) && hit.x > 0.0)
        return 0.0;
    intersect(p, -sunDirection, atmosphere.topRadius, hit);
    const float step = hit.y / float(atmosphere.lightSteps);
    float3 depth = 0.0;
    for (int i = 0; i < atmosphere.lightSteps; ++i)
        depth += extinction(densityAt(p - sunDirection * step * (float(i) + 0.5))) * step;
    return exp(-depth);
}

float phaseRayleigh(float c) { return 3.0 / (16.0 * PI) * (1.0 + c * c); }

float phaseMie(float c, float g)
{
    const float g2 = g * g;
    return 3.0 / (8.0 * PI) * (1.0 - g2) * (1.0 + c * c) / ((2.0 + g2) * pow(abs(1.0 + g2 - 2.0 * g * c), 1.5));
}

float4 PSMain(FullscreenVertex i) : SV_Target
{
    const float3 direction = normalize(fromDepth(i.uv, 1.0) - camera.position);
    const float3 origin = camera.position + float3(0.0, atmosphere.groundRadius, 0.0);
    float2 shell, ground;
    if (!intersect(origin, direction, atmosphere.topRadius, shell))
        return float4(0.0, 0.0, 0.0, 1.0);
    float end = shell.y;
    if (intersect(origin, direction, atmosphere.groundRadius, ground) && ground.x > 0.0)
        end = ground.x;
    const float start = max(shell.x, 0.0);

    const float cosine = dot(direction, -sunDirection);
    const float3 phases = float3(phaseRayleigh(cosine), phaseMie(cosine, atmosphere.mieAnisotropy), 0.0);
    const float step = (end - start) / float(atmosphere.viewSteps);
    float3 throughput = 1.0, light = 0.0;
    for (int n = 0; n < atmosphere.viewSteps; ++n)
    {
        const float3 p = origin + direction * (start + (float(n) + 0.5) * step);
        const Density d = densityAt(p);
        const float3 sigma = max(extinction(d), 1e-9);
        const float3 scattered = atmosphere.rayleigh * d.rayleigh * phases.x + atmosphere.mie * d.mie * phases.y;
        const float3 through = exp(-sigma * step);
        light += throughput * transmittanceToSun(p) * scattered * (1.0 - through) / sigma;
        throughput *= through;
    }
    return float4(light * sunColour * camera.exposure, dot(throughput, 1.0 / 3.0));
}
