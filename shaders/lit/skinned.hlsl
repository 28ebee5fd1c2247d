// Skinning by four bones, from matrices or from dual quaternions (DUAL_QUATERNION), with motion vectors.
#include "frame.hlsli"
#include "common.hlsli"

struct DualQuaternion
{
    float4 real;
    float4 dual;
};

cbuffer Object : register(b1)
{
    row_major float4x4 world;
    uint boneOffset;
    uint previousBoneOffset;
};

#if DUAL_QUATERNION
StructuredBuffer<DualQuaternion> bones : register(t0);
#else
StructuredBuffer<float3x4> bones : register(t0);
#endif

struct Vertex
{
    float3 position : POSITION;
    float3 normal : NORMAL;
    float4 tangent : TANGENT;
    float2 uv : TEXCOORD0;
    uint4 joints : BLENDINDICES;
    float4 weights : BLENDWEIGHT;
};

struct Interpolants
{
    float4 clip : SV_Position;
    linear float3 normal : NORMAL;
    float4 tangent : TANGENT;
    centroid float2 uv : TEXCOORD0;
    noperspective float4 current : CURRENT;
    noperspective float4 previous : PREVIOUS;
};

#if DUAL_QUATERNION
DualQuaternion blend(uint4 joints, float4 weights, uint offset)
{
    DualQuaternion sum = (DualQuaternion)0;
    const float4 pivot = bones[offset + joints.x].real;
    [unroll]
    for (int i = 0; i < 4; ++i)
    {
        const DualQuaternion bone = bones[offset + joints[i]];
        const float w = dot(pivot, bone.real) < 0.0 ? -weights[i] : weights[i];
        sum.real += bone.real * w;
        sum.dual += bone.dual * w;
    }
    const float scale = rcp(length(sum.real));
    sum.real *= scale;
    sum.dual *= scale;
    return sum;
}

float3 rotate(DualQuaternion q, float3 v)
{
    return v + 2.0 * cross(q.real.xyz, cross(q.real.xyz, v) + q.real.w * v);
}

float3 transform(DualQuaternion q, float3 p)
{
    const float3 t = q.real.w * q.dual.xyz - q.dual.w * q.real.xyz + cross(q.real.xyz, q.dual.xyz);
    return rotate(q, p) + 2.0 * t;
}
#else
float3x4 blend(uint4 joints, float4 weights, uint offset)
{
    float3x4 sum = bones[offset + joints.x] * weights.x;
    sum += bones[offset + joints.y] * weights.y;
    sum += bones[offset + joints.z] * weights.z;
    sum += bones[offset + joints.w] * weights.w;
    return sum;
}

float3 rotate(float3x4 m, float3 v) { return mul((float3x3)m, v); }
float3 transform(float3x4 m, float3 p) { return mul(m, float4(p, 1.0)); }
#endif

Interpolants VSMain(Vertex v)
{
    const float4 weights = v.weights / dot(v.weights, 1.0);
    const float3 now = transform(blend(v.joints, weights, boneOffset), v.position);
    const float3 before = transform(blend(v.joints, weights, previousBoneOffset), v.position);

    Interpolants o;
    o.clip = toClip(mul(world, float4(now, 1.0)).xyz);
    o.normal = mul((float3x3)world, rotate(blend(v.joints, weights, boneOffset), v.normal));
    o.tangent = float4(rotate(blend(v.joints, weights, boneOffset), v.tangent.xyz), v.tangent.w);
    o.uv = v.uv;
    o.current = o.clip;
    o.previous = mul(camera.previousViewProjection, mul(world, float4(before, 1.0)));
    return o;
}

struct Output
{
    float4 normal : SV_Target0;
    float2 velocity : SV_Target1;
};

Output PSMain(Interpolants i)
{
    Output o;
    o.normal = float4(normalize(i.normal) * 0.5 + 0.5, 1.0);
    const float2 now = i.current.xy / i.current.w;
    const float2 before = i.previous.xy / i.previous.w;
    o.velocity = (now - before) * float2(0.5, -0.5);
    return o;
}
