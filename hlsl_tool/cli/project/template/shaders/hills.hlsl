// A sunset over hills: one triangle that covers the picture, and a colour for each pixel.

cbuffer Frame : register(b0)
{
    float2 size;  // of the picture, in pixels
    float time;   // in seconds
};

static const int LAYERS = 5;

float Noise(float x)
{
    float cell = floor(x);
    float2 random = frac(sin(float2(cell, cell + 1.0)) * 43758.5453);
    return lerp(random.x, random.y, smoothstep(0.0, 1.0, x - cell));
}

float Ridge(float x)
{
    return 0.6 * Noise(x) + 0.3 * Noise(2.1 * x) + 0.1 * Noise(7.3 * x);
}

float4 VSMain(uint id : SV_VertexID) : SV_Position
{
    return float4(id == 1 ? 3.0 : -1.0, id == 2 ? 3.0 : -1.0, 0.0, 1.0);
}

float4 PSMain(float4 position : SV_Position) : SV_Target
{
    float2 p = (position.xy - 0.5 * size) / size.y;  // y from -0.5 at the top to 0.5
    float up = saturate(0.5 - p.y);
    float distance = length(p - float2(0.25, 0.02));

    float3 color = lerp(float3(1.0, 0.55, 0.3), float3(0.16, 0.2, 0.45), smoothstep(0.3, 1.0, up));
    color += float3(1.0, 0.6, 0.3) * exp(-4.0 * distance);
    color = lerp(float3(1.0, 0.95, 0.8), color, smoothstep(0.1, 0.105, distance));

    for (int i = 0; i < LAYERS; i++)  // hills, from far to near
    {
        float near = (i + 1.0) / LAYERS;
        float height = 0.4 - 0.3 * near + 0.22 * Ridge(p.x * (2.0 + i) + 17.0 * i + 0.2 * near * time);
        float3 hill = lerp(float3(0.75, 0.4, 0.42), float3(0.07, 0.05, 0.14), near);
        color = lerp(color, hill, smoothstep(-0.002, 0.002, height - up));
    }
    return float4(color, 1.0);
}
