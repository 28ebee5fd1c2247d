// Numbers in fewer bits: octahedral normals, 8-bit colours, half pairs.
#ifndef PACKING_HLSLI
#define PACKING_HLSLI

float2 signNotZero(float2 v)
{
    return float2(v.x >= 0.0 ? 1.0 : -1.0, v.y >= 0.0 ? 1.0 : -1.0);
}

float2 encodeNormal(float3 n)
{
    n /= abs(n.x) + abs(n.y) + abs(n.z);
    if (n.z < 0.0)
        n.xy = (1.0 - abs(n.yx)) * signNotZero(n.xy);
    return n.xy * 0.5 + 0.5;
}

float3 decodeNormal(float2 e)
{
    e = e * 2.0 - 1.0;
    float3 n = float3(e, 1.0 - abs(e.x) - abs(e.y));
    const float t = saturate(-n.z);
    n.xy -= signNotZero(n.xy) * t;
    return normalize(n);
}

uint packUnorm4(float4 v)
{
    const uint4 q = uint4(saturate(v) * 255.0 + 0.5);
    return q.x | q.y << 8 | q.z << 16 | q.w << 24;
}

float4 unpackUnorm4(uint v)
{
    return float4(v & 0xff, v >> 8 & 0xff, v >> 16 & 0xff, v >> 24) / 255.0;
}

uint packHalf2(float2 v)
{
    return f32tof16(v.x) | f32tof16(v.y) << 16;
}

float2 unpackHalf2(uint v)
{
    return float2(f16tof32(v & 0xffff), f16tof32(v >> 16));
}

#endif
