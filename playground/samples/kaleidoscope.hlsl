// A kaleidoscope. The page binds a picture of checks to every texture, and a linear, repeating sampler.
Texture2D<float4> picture : register(t0);
SamplerState linearRepeat : register(s1);

cbuffer Settings : register(b2)
{
    float2 resolution;
    float time;
    float zoom;     // 0.2 .. 3 = 0.9
    int mirrors;    // 2 .. 16 = 7
    bool inverted;  // = 0
    float3 tint;    // = #ffd9b0
};

float4 main(float2 uv : TEXCOORD0) : SV_Target
{
    const float2 p = (uv * 2.0 - 1.0) * float2(resolution.x / resolution.y, 1.0);
    const float sector = 3.14159265 / mirrors;
    const float r = length(p);
    float angle = atan2(p.y, p.x) + time * 0.2;
    angle = abs(fmod(abs(angle), 2.0 * sector) - sector);
    const float2 at = r * float2(cos(angle), sin(angle)) * zoom + float2(time * 0.05, 0.3 * sin(time * 0.2));
    float3 colour = picture.Sample(linearRepeat, at).rgb * tint;
    if (inverted)
        colour = 1.0 - colour;
    return float4(colour * smoothstep(2.2, 0.2, r), 1.0);
}
