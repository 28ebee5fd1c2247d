// A mesh: the page fills vertex inputs by their semantics with a torus. Drag the picture to turn the camera.
cbuffer Frame : register(b0)
{
    float4x4 viewProjection;
    float3 cameraPosition;
    float time;
    float3 tint;            // = #5b8def
    float roughness;        // 0.05 .. 1 = 0.35
    float stripes;          // 0 .. 16 = 6
    float3 lightDirection;  // -1 .. 1 = 0.5, 0.8, -0.4
};

struct Vertex
{
    float3 position : POSITION;
    float3 normal : NORMAL;
    float2 uv : TEXCOORD0;
};

struct Varyings
{
    float4 position : SV_Position;
    float3 world : WORLD;
    float3 normal : NORMAL;
    float2 uv : TEXCOORD0;
};

Varyings VSMain(Vertex v)
{
    const float wave = 0.06 * sin(6.0 * v.uv.x + 2.0 * time);
    Varyings o;
    o.world = v.position + v.normal * wave;
    o.position = mul(viewProjection, float4(o.world, 1.0));
    o.normal = v.normal;
    o.uv = v.uv;
    return o;
}

float4 PSMain(Varyings v) : SV_Target
{
    const float3 n = normalize(v.normal), l = normalize(lightDirection);
    const float3 eye = normalize(cameraPosition - v.world), h = normalize(l + eye);
    const float3 base = frac(v.uv.x * stripes * 0.25) < 0.5 ? tint : lerp(tint, 1.0, 0.6);
    const float power = 2.0 / (roughness * roughness * roughness * roughness) - 2.0;
    const float shine = pow(saturate(dot(n, h)), max(power, 1.0)) * (1.0 - roughness);
    const float rim = pow(1.0 - saturate(dot(n, eye)), 4.0);
    return float4(base * (0.15 + 0.85 * saturate(dot(n, l))) + shine + rim * 0.3, 1.0);
}
