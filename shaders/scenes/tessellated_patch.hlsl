// A bicubic Bézier patch of sixteen control points; edges in front are divided more finely than those behind.
#include "scene.hlsli"

struct ControlPoint {
    float3 position : POSITION;
};

struct Factors {
    float edges[4] : SV_TessFactor;
    float inside[2] : SV_InsideTessFactor;
};

struct Surface {
    float4 clip : SV_Position;
    float3 position : POSITION;
    float3 normal : NORMAL;
    float2 uv : UV;
};

ControlPoint VSMain(uint id : SV_VertexID) {
    static const float heights[16] = {
        0.0, 0.4, -0.3, 0.2,
        0.5, 1.9, 0.1, -0.4,
        -0.2, 0.3, -1.4, 0.6,
        0.3, -0.5, 0.4, 0.1,
    };
    ControlPoint p;
    p.position = float3(id % 4, 0, id / 4) * (2.4 / 3) - float3(1.2, 0, 1.2);
    p.position.y = heights[id];
    return p;
}

float Divisions(float3 a, float3 b) {
    return clamp(40 / distance(eye, (a + b) / 2), 4, 32);
}

Factors PatchFactors(InputPatch<ControlPoint, 16> patch) {
    Factors f;
    f.edges[0] = Divisions(patch[0].position, patch[12].position);
    f.edges[1] = Divisions(patch[0].position, patch[3].position);
    f.edges[2] = Divisions(patch[3].position, patch[15].position);
    f.edges[3] = Divisions(patch[12].position, patch[15].position);
    f.inside[0] = (f.edges[1] + f.edges[3]) / 2;
    f.inside[1] = (f.edges[0] + f.edges[2]) / 2;
    return f;
}

[domain("quad")]
[partitioning("fractional_odd")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(16)]
[patchconstantfunc("PatchFactors")]
ControlPoint HSMain(InputPatch<ControlPoint, 16> patch, uint id : SV_OutputControlPointID) {
    return patch[id];
}

float4 Bernstein(float t) {
    float s = 1 - t;
    return float4(s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t);
}

float4 BernsteinSlope(float t) {
    float s = 1 - t;
    return float4(-3 * s * s, 3 * s * s - 6 * s * t, 6 * s * t - 3 * t * t, 3 * t * t);
}

float3 Evaluate(const OutputPatch<ControlPoint, 16> patch, float4 u, float4 v) {
    float3 sum = 0;
    [unroll]
    for (uint i = 0; i < 16; ++i)
        sum += patch[i].position * u[i % 4] * v[i / 4];
    return sum;
}

[domain("quad")]
Surface DSMain(Factors factors, float2 uv : SV_DomainLocation, const OutputPatch<ControlPoint, 16> patch) {
    float4 u = Bernstein(uv.x), v = Bernstein(uv.y);
    Surface s;
    s.position = Evaluate(patch, u, v);
    float3 du = Evaluate(patch, BernsteinSlope(uv.x), v);
    float3 dv = Evaluate(patch, u, BernsteinSlope(uv.y));
    s.normal = normalize(cross(dv, du));
    s.clip = Project(s.position);
    s.uv = uv;
    return s;
}

float4 PSMain(Surface s) : SV_Target {
    float3 albedo = lerp(float3(0.85, 0.35, 0.2), float3(0.95, 0.8, 0.55), Checker(s.uv * 8));
    float3 normal = normalize(s.normal);
    return float4(Lit(albedo, dot(normal, eye - s.position) < 0 ? -normal : normal, s.position, 1), 1);
}
