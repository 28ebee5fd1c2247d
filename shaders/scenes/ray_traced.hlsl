// A ray-traced picture: a floor of triangles, a fence with holes (any-hit), glass-like spheres (intersection), colours
// by a callable shader, reflections and shadows by further rays from the ray generation shader.
#include "scene.hlsli"

struct Hit {
    float3 normal;
    float distance;  // negative: nothing
    float3 albedo;
    float mirror;
};

struct Shadow {
    float visibility;
};

struct Paint {
    float3 position;
    uint what;
    float3 albedo;
    float mirror;
};

struct SphereHit {
    float3 normal;
};

RaytracingAccelerationStructure scene : register(t0);
RWTexture2D<float4> picture : register(u1);

static const uint floorInstance = 0, fenceInstance = 1, sphereInstance = 2;

[shader("raygeneration")]
void Render() {
    uint2 pixel = DispatchRaysIndex().xy;
    RayDesc ray;
    ray.Origin = eye;
    ray.Direction = RayThrough((pixel + 0.5) / DispatchRaysDimensions().xy);
    ray.TMin = 0.01;
    ray.TMax = 50;
    float3 colour = 0;
    float share = 1;
    for (uint bounce = 0; bounce < 3; ++bounce) {
        Hit hit;
        hit.distance = -1;
        TraceRay(scene, RAY_FLAG_NONE, 0xff, 0, 1, 0, ray, hit);
        if (hit.distance < 0) {
            colour += share * Sky(ray.Direction);
            break;
        }
        float3 position = ray.Origin + ray.Direction * hit.distance;
        RayDesc toSun;
        toSun.Origin = position + hit.normal * 0.01;
        toSun.Direction = toLight;
        toSun.TMin = 0;
        toSun.TMax = 50;
        Shadow shadow;
        shadow.visibility = 0;
        TraceRay(scene, RAY_FLAG_SKIP_CLOSEST_HIT_SHADER | RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH, 0xff, 0, 1, 1,
                 toSun, shadow);
        colour += share * (1 - hit.mirror) * Lit(hit.albedo, hit.normal, position, shadow.visibility);
        share *= hit.mirror;
        ray.Origin = position + hit.normal * 0.01;
        ray.Direction = reflect(ray.Direction, hit.normal);
    }
    picture[pixel] = float4(saturate(colour), 1);
}

[shader("miss")]
void MissSurface(inout Hit hit : SV_RayPayload) {
    hit.distance = -1;
}

[shader("miss")]
void MissLight(inout Shadow shadow : SV_RayPayload) {
    shadow.visibility = 1;
}

void Fill(inout Hit hit, float3 normal) {
    Paint paint;
    paint.position = WorldRayOrigin() + WorldRayDirection() * RayTCurrent();
    paint.what = InstanceID();
    CallShader(0, paint);
    hit.normal = normal;
    hit.distance = RayTCurrent();
    hit.albedo = paint.albedo;
    hit.mirror = paint.mirror;
}

[shader("closesthit")]
void HitTriangle(inout Hit hit : SV_RayPayload, BuiltInTriangleIntersectionAttributes at : SV_IntersectionAttributes) {
    float3 normal = InstanceID() == floorInstance ? float3(0, 1, 0) : float3(0, 0, -1);
    Fill(hit, dot(normal, WorldRayDirection()) > 0 ? -normal : normal);
}

[shader("anyhit")]
void Holes(inout Hit hit : SV_RayPayload, BuiltInTriangleIntersectionAttributes at : SV_IntersectionAttributes) {
    float3 position = ObjectRayOrigin() + ObjectRayDirection() * RayTCurrent();
    if (InstanceID() == fenceInstance && length(frac(position.xy * 4) - 0.5) < 0.33)
        IgnoreHit();
}

[shader("intersection")]
void Sphere() {
    // the unit sphere around the middle of its box
    float3 origin = ObjectRayOrigin(), direction = ObjectRayDirection();
    float a = dot(direction, direction), b = dot(origin, direction), c = dot(origin, origin) - 1;
    float inside = b * b - a * c;
    if (inside < 0)
        return;
    float t = (-b - sqrt(inside)) / a;
    SphereHit found;
    found.normal = mul(ObjectToWorld3x4(), float4(origin + direction * t, 0));
    ReportHit(t, 0, found);
}

[shader("closesthit")]
void HitSphere(inout Hit hit : SV_RayPayload, SphereHit sphere : SV_IntersectionAttributes) {
    Fill(hit, normalize(sphere.normal));
}

[shader("callable")]
void Colour(inout Paint paint) {
    paint.mirror = 0;
    if (paint.what == floorInstance)
        paint.albedo = lerp(float3(0.3, 0.33, 0.36), 0.85, Checker(paint.position.xz * 2));
    else if (paint.what == fenceInstance)
        paint.albedo = float3(0.55, 0.35, 0.2);
    else {
        paint.albedo = 0.5 + 0.4 * cos(paint.what * 2.1 + float3(0, 2, 4));
        paint.mirror = 0.45;
    }
}
