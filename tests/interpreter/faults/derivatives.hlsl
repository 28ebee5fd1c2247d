// Derivatives where some pixels of a quad took another way.
Texture2D<float4> picture;
SamplerState linear_sampler;
float limit;

float4 branch(float4 p : SV_Position, float2 uv : TEXCOORD) : SV_Target
{
    float4 colour = 0;
    if (uint(p.x) % 3 == 0)
        colour = picture.Sample(linear_sampler, uv);  // branch: derivative-divergent
    return colour;
}

float4 returned(float4 p : SV_Position, float2 uv : TEXCOORD) : SV_Target
{
    if (p.x < 5)
        return 0;
    return ddx(uv.x);  // returned: derivative-divergent
}

float4 loop(float4 p : SV_Position, float2 uv : TEXCOORD) : SV_Target
{
    float4 sum = 0;
    for (uint n = 0; n < uint(p.y) % 4; ++n)
        sum += picture.SampleBias(linear_sampler, uv * n, 1);  // loop: derivative-divergent
    return sum;
}

float width(float x)
{
    return fwidth(x);  // called: derivative-divergent
}

float4 called(float4 p : SV_Position, float2 uv : TEXCOORD) : SV_Target
{
    return uint(p.x + p.y) & 1 ? width(uv.x) : 0.5;
}

float4 cases(float4 p : SV_Position, float2 uv : TEXCOORD) : SV_Target
{
    switch (uint(p.x) % 3) {
    case 0: return 0;
    case 1: return ddy_fine(uv.y);  // cases: derivative-divergent
    default: return 1;
    }
}

float4 level(float4 p : SV_Position, float2 uv : TEXCOORD) : SV_Target
{
    float lod = 0;
    [branch] if (p.y > 7)
        lod = picture.CalculateLevelOfDetail(linear_sampler, uv);  // level: derivative-divergent
    return lod;
}
