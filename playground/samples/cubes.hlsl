// A thousand cubes without one vertex buffer: corners and places come from the numbers of vertex and instance.
cbuffer Frame : register(b0)
{
    float4x4 viewProjection;
    float time;
    float spacing;  // 0.2 .. 0.6 = 0.2
    float size;     // 0.02 .. 0.3 = 0.05
    float wave;     // 0 .. 1 = 0.5
};

struct Varyings
{
    float4 position : SV_Position;
    float3 colour : COLOR;
    nointerpolation float3 normal : NORMAL;
};

static const float2 corners[6] = {
    float2(-1, -1), float2(1, -1), float2(1, 1), float2(-1, -1), float2(1, 1), float2(-1, 1),
};

Varyings VSMain(uint vertex : SV_VertexID, uint instance : SV_InstanceID)
{
    const uint face = vertex / 6;
    const float2 corner = corners[vertex % 6];
    const float side = face & 1 ? 1.0 : -1.0;
    float3 local = float3(corner, side), normal = float3(0.0, 0.0, side);
    if (face >= 4)
    {
        local = local.zxy;
        normal = normal.zxy;
    }
    else if (face >= 2)
    {
        local = local.yzx;
        normal = normal.yzx;
    }
    const float3 cell = float3(instance % 10, instance / 10 % 10, instance / 100);
    const float beat = sin(time * 2.0 + dot(cell, float3(0.7, 0.5, 0.9)));
    const float3 world = (cell - 4.5) * spacing + local * size * (1.0 + wave * beat);

    Varyings o;
    o.position = mul(viewProjection, float4(world, 1.0));
    o.colour = cell / 9.0 * 0.8 + 0.2;
    o.normal = normal;
    return o;
}

float4 PSMain(Varyings v) : SV_Target
{
    const float light = saturate(dot(v.normal, normalize(float3(0.4, 0.8, -0.5))));
    return float4(v.colour * (0.35 + 0.65 * light), 1.0);
}
