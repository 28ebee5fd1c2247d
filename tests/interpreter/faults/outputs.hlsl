// Pixel shaders with outputs that are not written.
struct Two { float4 first : SV_Target0; float4 second : SV_Target1; };
float limit;

float4 alpha(float2 uv : TEXCOORD) : SV_Target
{
    float4 colour;
    colour.rgb = uv.x;
    return colour;  // alpha: output-unwritten
}

Two second(float2 uv : TEXCOORD)
{
    Two two;
    two.first = uv.x;
    return two;  // second: output-unwritten
}

float4 branch(float2 uv : TEXCOORD) : SV_Target
{
    float4 colour;
    if (uv.x < 0.5)
        colour = 1;
    return colour;  // branch: output-unwritten
}

float4 cases(float2 uv : TEXCOORD) : SV_Target
{
    float4 colour;
    switch (uint(uv.x * 4)) {
    case 0: colour = 0; break;
    case 1: colour = 1; break;
    case 2: colour = uv.y; break;
    }
    return colour;  // cases: output-unwritten
}

float4 computed(float2 uv : TEXCOORD) : SV_Target
{
    float scale;
    if (uv.y > 0.25)
        scale = 2;
    return float4(uv, 0, 1) * scale;  // computed: output-unwritten
}

float depth(float2 uv : TEXCOORD, out float4 colour : SV_Target) : SV_Depth
{
    colour = 1;
    float far;
    [loop] for (float z = 0; z < uv.x - 0.5; z += 0.125)
        far = z;
    return far;  // depth: output-unwritten
}
