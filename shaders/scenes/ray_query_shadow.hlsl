// Ray queries in a compute shader: what the pixel sees, and whether light comes there through the holes of a fence.
#include "scene.hlsli"

RaytracingAccelerationStructure scene : register(t0);
RWTexture2D<float4> picture : register(u1);

bool IsHole(float3 position) {
    return length(frac(position.xy * 4) - 0.5) < 0.33;
}

struct Seen {
    float distance;  // negative: nothing
    float3 normal;
    uint what;
};

Seen Look(float3 origin, float3 direction) {
    RayDesc ray;
    ray.Origin = origin;
    ray.Direction = direction;
    ray.TMin = 0.001;
    ray.TMax = 50;
    RayQuery<RAY_FLAG_NONE> query;
    query.TraceRayInline(scene, RAY_FLAG_NONE, 0xff, ray);
    float3 normal = 0;
    while (query.Proceed()) {
        if (query.CandidateType() == CANDIDATE_NON_OPAQUE_TRIANGLE) {
            float3 at = query.CandidateObjectRayOrigin()
                + query.CandidateObjectRayDirection() * query.CandidateTriangleRayT();
            if (!IsHole(at))
                query.CommitNonOpaqueTriangleHit();
        } else {
            float3 o = query.CandidateObjectRayOrigin(), d = query.CandidateObjectRayDirection();
            float a = dot(d, d), b = dot(o, d), inside = b * b - a * (dot(o, o) - 1);
            float t = (-b - sqrt(max(inside, 0))) / a;
            if (inside >= 0 && t > query.RayTMin() && t < query.CommittedRayT()) {
                normal = mul(query.CandidateObjectToWorld3x4(), float4(o + d * t, 0));
                query.CommitProceduralPrimitiveHit(t);
            }
        }
    }
    Seen seen = (Seen)0;
    seen.distance = -1;
    if (query.CommittedStatus() == COMMITTED_NOTHING)
        return seen;
    seen.distance = query.CommittedRayT();
    seen.what = query.CommittedInstanceID();
    if (query.CommittedStatus() == COMMITTED_TRIANGLE_HIT)
        normal = seen.what == 0 ? float3(0, 1, 0) : float3(0, 0, direction.z > 0 ? -1 : 1);
    seen.normal = normalize(normal);
    return seen;
}

[numthreads(8, 8, 1)]
void CSMain(uint2 pixel : SV_DispatchThreadID) {
    uint2 size;
    picture.GetDimensions(size.x, size.y);
    float3 direction = RayThrough((pixel + 0.5) / size);
    Seen seen = Look(eye, direction);
    if (seen.distance < 0) {
        picture[pixel] = float4(Sky(direction), 1);
        return;
    }
    float3 position = eye + direction * seen.distance;
    float visibility = Look(position + seen.normal * 0.01, toLight).distance < 0;
    float3 albedo = 0.5 + 0.4 * cos(seen.what * 2.1 + float3(0, 2, 4));
    if (seen.what == 0)
        albedo = lerp(float3(0.3, 0.33, 0.36), 0.85, Checker(position.xz * 2));
    picture[pixel] = float4(saturate(Lit(albedo, seen.normal, position, visibility)), 1);
}
