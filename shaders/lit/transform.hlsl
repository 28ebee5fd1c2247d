// Matrices in every form: both layouts in one struct, arrays of them, casts, swizzles, inverse and transpose by hand.
#include "common.hlsli"

struct Transforms
{
    row_major float4x4 local;
    column_major float4x4 parent;
    row_major float3x4 pose;
    column_major float4x3 offsets[2];
    row_major float2x3 uvTransform;
    column_major float3x3 colourMatrix;
    float2x2 rotation;
};

cbuffer Pass : register(b0)
{
    float4x4 viewProjection;
    row_major float4x4 lightViewProjection[2];
    float2x4 parameters;
};

ConstantBuffer<Transforms> transforms : register(b1);
StructuredBuffer<float4x4> palette : register(t0);
ByteAddressBuffer rawTransforms : register(t1);

float3x3 adjugate(float3x3 m)
{
    return float3x3(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1]));
}

float3x3 inverse(float3x3 m)
{
    const float3x3 cofactors = adjugate(m);
    return transpose(cofactors) / dot(m[0], cofactors[0]);
}

float4x4 lookAt(float3 eye, float3 target, float3 up)
{
    const float3 z = normalize(target - eye);
    const float3 x = normalize(cross(up, z));
    const float3 y = cross(z, x);
    float4x4 m = { float4(x, -dot(x, eye)), float4(y, -dot(y, eye)), float4(z, -dot(z, eye)), 0.0, 0.0, 0.0, 1.0 };
    return m;
}

float4x4 loadRaw(uint index)
{
    float4x4 m;
    [unroll]
    for (uint row = 0; row < 4; ++row)
        m[row] = asfloat(rawTransforms.Load4(index * 64 + row * 16));
    return m;
}

void orthonormalise(inout float4x4 m)
{
    m[0].xyz = normalize(m[0].xyz);
    m[1].xyz = normalize(m[1].xyz - m[0].xyz * dot(m[0].xyz, m[1].xyz));
    m[2].xyz = cross(m[0].xyz, m[1].xyz);
    m._m03 = m._m13 + m._14;
    m._m30_m31_m32 = 0.0;
    m._44 = 1.0;
}

struct Interpolants
{
    float4 clip : SV_Position;
    float4 light[2] : LIGHT;
    float3x3 frame : FRAME;
    float2 uv : TEXCOORD0;
    float3 colour : COLOR;
};

Interpolants VSMain(float4 position : POSITION, float3x3 frame : FRAME, float2 uv : TEXCOORD, float3 colour : COLOR,
                    uint bone : BONE)
{
    float4x4 world = mul(transforms.parent, mul(transforms.local, palette[bone]));
    orthonormalise(world);
    world = mul(world, loadRaw(bone));
    world += lookAt(transforms.offsets[0][3], transforms.offsets[1][3], float3(0.0, 1.0, 0.0)) * parameters[0][1];

    Interpolants o;
    float4 p = mul(world, position);
    p.xyz = mul(transforms.pose, p);
    p.xyz += mul(position, transforms.offsets[0]) + mul(position, transforms.offsets[1]);
    o.clip = mul(viewProjection, p);
    for (int i = 0; i < 2; ++i)
        o.light[i] = mul(lightViewProjection[i], p);
    o.frame = mul(inverse((float3x3)world), frame);
    o.uv = mul(transforms.rotation, mul(transforms.uvTransform, float3(uv, 1.0)));
    o.colour = mul(colour, transforms.colourMatrix) * determinant((float3x3)transforms.local);
    return o;
}

float4 PSMain(Interpolants i) : SV_Target
{
    const float3 n = mul(float3(i.uv, 1.0), i.frame);
    const float2x2 corner = (float2x2)i.frame;
    const float trace = i.frame._11 + i.frame._22 + i.frame._33;
    const bool lit = all(i.light[0].xyz > 0.0) && any(i.light[1] != 0.0);
    return float4(i.colour * (lit ? dot(n, n) : trace), determinant(corner));
}
