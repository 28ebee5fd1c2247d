// Soft shadows: a ray for each pixel and frame to a point of the light; what the ray hits first does not matter.

struct Shadow {
    float visibility;
};

struct Material {
    float opacity;
    float2 uvScale;
};

cbuffer Light : register(b0) {
    float3 lightPosition;
    float lightRadius;
    uint frame;
};

RaytracingAccelerationStructure scene : register(t0);
Texture2D<float4> positionBuffer : register(t1);
Texture2D<float> cutout : register(t2);
RWTexture2D<float> shadow : register(u0);
[[vk::shader_record_ext]] ConstantBuffer<Material> material;

float3 PointOnLight(uint2 pixel) {
    uint seed = pixel.x * 1973 + pixel.y * 9277 + frame * 26699;
    float angle = (seed & 0xffff) * (6.2831853 / 65536);
    return lightPosition + lightRadius * float3(cos(angle), 0, sin(angle));
}

[shader("raygeneration")]
void Trace() {
    uint2 pixel = DispatchRaysIndex().xy;
    float3 position = positionBuffer[pixel].xyz;
    float3 toLight = PointOnLight(pixel) - position;
    RayDesc ray;
    ray.Origin = position;
    ray.Direction = normalize(toLight);
    ray.TMin = 1e-3;
    ray.TMax = length(toLight);
    Shadow result = { 0 };
    TraceRay(scene, RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH | RAY_FLAG_SKIP_CLOSEST_HIT_SHADER, 0xff, 0, 1, 0, ray,
             result);
    shadow[pixel] = result.visibility;
}

[shader("anyhit")]
void Cutout(inout Shadow result, in BuiltInTriangleIntersectionAttributes hit) {
    if (material.opacity * cutout[uint2(hit.barycentrics * material.uvScale)] < 0.5)
        IgnoreHit();
}

[shader("miss")]
void Unblocked(inout Shadow result) {
    result.visibility = 1;
}
