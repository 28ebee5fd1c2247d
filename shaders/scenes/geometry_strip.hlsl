// A ribbon along a helix: the geometry shader turns every line into a strip with a thickness of its own.
#include "scene.hlsli"

static const uint segments = 96;

struct Joint {
    float3 position : POSITION;
    float3 side : SIDE;
    float along : ALONG;
};

struct Surface {
    float4 clip : SV_Position;
    float3 position : POSITION;
    float3 normal : NORMAL;
    float2 uv : UV;
};

/// Vertices 2i and 2i + 1 are the ends of line i.
Joint VSMain(uint id : SV_VertexID) {
    float along = float(id / 2 + (id & 1)) / segments;
    float angle = along * 6.2831853 * 3;
    Joint j;
    j.position = float3(cos(angle), along * 2.4 - 1.2, sin(angle)) * float3(1.15, 1, 1.15);
    j.side = float3(0, 0.22 + 0.08 * sin(along * 40), 0);
    j.along = along;
    return j;
}

[maxvertexcount(8)]
void GSMain(line Joint ends[2], inout TriangleStream<Surface> strip) {
    // the front, then the back a little behind it
    [unroll]
    for (int face = 0; face < 2; ++face) {
        [unroll]
        for (uint i = 0; i < 4; ++i) {
            Joint joint = ends[i / 2];
            float3 outward = normalize(float3(joint.position.x, 0, joint.position.z));
            Surface s;
            s.normal = face == 0 ? outward : -outward;
            s.position = joint.position + joint.side * ((i & 1) ? 1 : -1) + s.normal * 0.02;
            s.clip = Project(s.position);
            s.uv = float2(joint.along * 48, i & 1);
            strip.Append(s);
        }
        strip.RestartStrip();
    }
}

float4 PSMain(Surface s) : SV_Target {
    float edge = abs(s.uv.y - 0.5) > 0.42;
    float3 albedo = lerp(lerp(float3(0.2, 0.5, 0.65), float3(0.9, 0.9, 0.85), Checker(float2(s.uv.x * 0.5, 0))), 0.15, edge);
    return float4(Lit(albedo, normalize(s.normal), s.position, 1), 1);
}
