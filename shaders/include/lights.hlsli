// Punctual lights as they lie in a structured buffer.
#ifndef LIGHTS_HLSLI
#define LIGHTS_HLSLI

#include "brdf.hlsli"

enum LightType
{
    LIGHT_DIRECTIONAL,
    LIGHT_POINT,
    LIGHT_SPOT
};

struct Light
{
    float3 position;
    float range;
    float3 colour;
    uint type;
    float3 direction;
    float spotScale;
    float spotOffset;
    int shadowIndex;
    float2 padding;
};

float rangeAttenuation(float distance, float range)
{
    const float ratio = square(square(distance / range));
    return square(saturate(1.0 - ratio)) / max(distance * distance, 1e-4);
}

float3 lightRadiance(Light light, float3 position, out float3 l)
{
    float attenuation = 1.0;
    switch (light.type)
    {
    case LIGHT_DIRECTIONAL:
        l = -light.direction;
        break;
    case LIGHT_SPOT:
    case LIGHT_POINT:
    {
        const float3 offset = light.position - position;
        const float distance = length(offset);
        l = offset / max(distance, EPSILON);
        attenuation = rangeAttenuation(distance, light.range);
        if (light.type == LIGHT_SPOT)
        {
            const float cone = saturate(dot(-l, light.direction) * light.spotScale + light.spotOffset);
            attenuation *= cone * cone;
        }
        break;
    }
    default:
        l = float3(0.0, 1.0, 0.0);
        attenuation = 0.0;
        break;
    }
    return light.colour * attenuation;
}

float3 shade(Surface surface, Light light, float3 position, float3 v)
{
    float3 l;
    const float3 radiance = lightRadiance(light, position, l);
    return brdf::evaluate(surface, v, l) * radiance;
}

#endif
