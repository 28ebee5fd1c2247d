// RUN: -T ps_6_0 -E main
Texture2D<float4> t;
[[vk::binding(1)]] SamplerState s;
float4 main(float2 p : P) : SV_Target
{
// CHECK: textureGather(1, t, s, P, vec2i(-1i, 2i))
    return t.GatherGreen(s, p, int2(-1, 2));
}
