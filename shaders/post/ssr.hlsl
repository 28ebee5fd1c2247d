// Screen-space reflections: marches a ray through the hierarchy of depths, refines the hit, fades at the borders.
#include "frame.hlsli"
#include "fullscreen.hlsli"
#include "gbuffer.hlsli"
#include "noise.hlsli"

cbuffer Reflections : register(b1)
{
    float maxDistance;
    float thickness;
    float stride;
    float roughnessLimit;
    int maxSteps;
    int refineSteps;
    int hierarchyLevels;
};

Texture2D<float4> sceneColour : register(t0);
Texture2D<float4> sceneNormal : register(t1);
Texture2D<float2> depthHierarchy : register(t2);    // least, most
TextureCube<float4> fallback : register(t3);
SamplerState linearClamp : register(s0);
SamplerState pointClamp : register(s1);

struct Hit
{
    bool found;
    float2 uv;
    float travelled;
};

FullscreenVertex VSMain(uint id : SV_VertexID)
{
    return fullscreenTriangle(id);
}

float3 project(float3 world)
{
    const float4 clip = toClip(world);
    const float3 ndc = clip.xyz / clip.w;
    return float3(FLIP_V(ndc.xy * 0.5 + 0.5), ndc.z);
}

void refine(inout float3 at, float3 step, int count)
{
    float3 half = step * 0.5;
    while (count-- > 0)
    {
        const float depth = depthHierarchy.SampleLevel(pointClamp, at.xy, 0).x;
        at += at.z > depth ? -half : half;
        half *= 0.5;
    }
}

Hit march(float3 origin, float3 direction, float jitter)
{
    Hit hit = { false, 0.0, 0.0, 0.0 };
    const float3 start = project(origin);
    const float3 end = project(origin + direction * maxDistance);
    const float3 delta = end - start;
    const float pixels = max(maxComponent(abs(delta.xy * viewport.xy)), 1.0);
    float3 step = delta / pixels * stride;
    float3 at = start + step * (1.0 + jitter);
    int level = 0;

    for (int n = 0; n < maxSteps; ++n)
    {
        if (any(at.xy < 0.0) || any(at.xy > 1.0) || at.z < 0.0 || at.z > 1.0)
            break;
        const float2 span = depthHierarchy.SampleLevel(pointClamp, at.xy, float(level));
        if (at.z < span.x)
        {
            level = min(level + 1, hierarchyLevels - 1);
            at += step * exp2(float(level));
            continue;
        }
        if (level > 0)
        {
            at -= step * exp2(float(level));
            --level;
            continue;
        }
        const float behind = linearDepth(at.z, camera.planes) - linearDepth(span.x, camera.planes);
        if (behind < thickness)
        {
            refine(at, step, refineSteps);
            hit.found = true;
            hit.uv = at.xy;
            hit.travelled = float(n) / float(maxSteps);
            return hit;
        }
        at += step;
    }
    return hit;
}

float4 PSMain(FullscreenVertex i) : SV_Target
{
    const float4 packed = sceneNormal.SampleLevel(pointClamp, i.uv, 0);
    const float depth = depthHierarchy.SampleLevel(pointClamp, i.uv, 0).x;
    if (depth >= 1.0 || packed.z > roughnessLimit)
        return 0.0;

    const float3 normal = decodeNormal(packed.xy);
    const float3 world = fromDepth(i.uv, depth);
    const float3 v = viewDirection(world);
    const float3 direction = reflect(-v, normal);
    const float jitter = interleavedGradient(i.position.xy + float(frameIndex % 64) * 5.588238);
    const Hit hit = march(world + normal * 0.05, direction, jitter);

    float3 reflected = fallback.SampleLevel(linearClamp, direction, packed.z * 8.0).rgb;
    float confidence = 0.0;
    if (hit.found)
    {
        const float2 edge = smoothstep(0.0, 0.1, hit.uv) * (1.0 - smoothstep(0.9, 1.0, hit.uv));
        confidence = edge.x * edge.y * (1.0 - square(hit.travelled));
        reflected = lerp(reflected, sceneColour.SampleLevel(linearClamp, hit.uv, packed.z * 4.0).rgb, confidence);
    }
    const float fresnel = brdf::fresnelSchlick(saturate(dot(normal, v)), 0.04).x;
    return float4(reflected * fresnel, confidence);
}
