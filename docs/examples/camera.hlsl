// The shader of docs/reference/layouts.md and docs/how-to/matrices.md.
struct Light
{
    float3 position;
    float range;
    float3 color;
};

cbuffer Camera
{
    float4x4 view;
    float3 eye;
    float2 jitter;
    float3x3 normal;
    float exposure;
    Light lights[2];
    float weights[3];
    float time;
};

float4 main(float3 n : NORMAL) : SV_Target
{
    return float4(mul(normal, n) * exposure + lights[1].color * weights[2] + eye, view[0][0] + jitter.x + time);
}
