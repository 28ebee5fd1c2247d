// Hashes and noise without textures.
#pragma once

uint hash(uint x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

uint hash(uint2 v) { return hash(v.x ^ hash(v.y)); }
uint hash(uint3 v) { return hash(v.x ^ hash(v.yz)); }

/// A generator whose state is one word.
struct Random
{
    uint state;

    uint next()
    {
        state = state * 1664525u + 1013904223u;
        return hash(state);
    }

    float unit() { return float(next() >> 8) * (1.0 / 16777216.0); }
    float between(float low, float high) { return lerp(low, high, unit()); }

    float3 direction()
    {
        const float z = between(-1.0, 1.0);
        const float angle = between(0.0, 6.2831853);
        const float r = sqrt(saturate(1.0 - z * z));
        return float3(r * cos(angle), r * sin(angle), z);
    }
};

float unitHash(int2 cell)
{
    return float(hash(asuint(cell)) & 0xffffffu) / 16777215.0;
}

float valueNoise(float2 p)
{
    const int2 cell = int2(floor(p));
    const float2 f = frac(p);
    const float2 w = f * f * (3.0 - 2.0 * f);
    const float a = unitHash(cell);
    const float b = unitHash(cell + int2(1, 0));
    const float c = unitHash(cell + int2(0, 1));
    const float d = unitHash(cell + int2(1, 1));
    return lerp(lerp(a, b, w.x), lerp(c, d, w.x), w.y);
}

float fbm(float2 p, int octaves)
{
    float sum = 0.0, amplitude = 0.5;
    for (int i = 0; i < octaves; ++i)
    {
        sum += amplitude * valueNoise(p);
        p = p * 2.03 + 17.0;
        amplitude *= 0.5;
    }
    return sum;
}

float interleavedGradient(float2 pixel)
{
    return frac(52.9829189 * frac(dot(pixel, float2(0.06711056, 0.00583715))));
}
