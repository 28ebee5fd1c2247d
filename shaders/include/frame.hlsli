// What holds for a whole frame: camera, time, sun.  Bound at b0 in every graphics pass.
#pragma once

struct Camera
{
    float4x4 view;
    float4x4 projection;
    float4x4 viewProjection;
    float4x4 inverseViewProjection;
    float4x4 previousViewProjection;
    float3 position;
    float exposure;
    float2 planes;      // near, far
    float2 jitter;      // of this frame, in UV units
};

cbuffer Frame : register(b0)
{
    Camera camera;
    float4 viewport;    // width, height, 1 / width, 1 / height
    float3 sunDirection;
    float time;
    float3 sunColour;
    float deltaTime;
    uint frameIndex;
    uint lightCount;
    float2 windDirection;
};

float4 toClip(float3 world)
{
    return mul(camera.viewProjection, float4(world, 1.0));
}

float3 fromDepth(float2 uv, float depth)
{
    const float4 clip = float4(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, depth, 1.0);
    const float4 world = mul(camera.inverseViewProjection, clip);
    return world.xyz / world.w;
}

float3 viewDirection(float3 world)
{
    return normalize(camera.position - world);
}
