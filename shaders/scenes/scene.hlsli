// What the scenes share: a camera that looks at the origin, a light, and the colours of the sky.
#pragma once

static const float3 eye = float3(2.6, 2.1, -3.4);
static const float3 toLight = normalize(float3(0.5, 0.9, -0.35));
static const float focal = 1.9;

float3x3 CameraAxes() {
    float3 forward = normalize(-eye);
    float3 right = normalize(cross(float3(0, 1, 0), forward));
    return float3x3(right, cross(forward, right), forward);
}

/// Clip space of Vulkan: y down, depth 0 at 0.1 and 1 at 20.
float4 Project(float3 position) {
    float3 view = mul(CameraAxes(), position - eye);
    return float4(view.x * focal, -view.y * focal, (view.z - 0.1) * 20 / 19.9, view.z);
}

/// The direction of the ray through a pixel; `at` runs from 0 to 1 from the upper left corner.
float3 RayThrough(float2 at) {
    float2 plane = (at * 2 - 1) * float2(1, -1) / focal;
    return normalize(mul(float3(plane, 1), CameraAxes()));
}

float3 Sky(float3 direction) {
    return lerp(float3(0.75, 0.82, 0.9), float3(0.25, 0.45, 0.75), saturate(direction.y));
}

float3 Lit(float3 albedo, float3 normal, float3 position, float visibility) {
    float3 halfway = normalize(toLight + normalize(eye - position));
    float diffuse = saturate(dot(normal, toLight)) * visibility;
    float highlight = pow(saturate(dot(normal, halfway)), 48) * visibility;
    return albedo * (0.25 + 0.75 * diffuse) + 0.35 * highlight;
}

float Checker(float2 at) {
    float2 cell = floor(at);
    return frac((cell.x + cell.y) * 0.5) * 2;
}
