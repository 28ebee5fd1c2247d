// The smallest shader: a colour from the position in the picture.
float time;

float4 main(float2 uv : TEXCOORD0) : SV_Target
{
    return float4(uv, 0.5 + 0.5 * sin(time), 1.0);
}
