// A Fourier transform of 512 points in group-shared memory, by rows or columns, forward or inverse (Stockham, radix 2).
#include <common.hlsli>

#define SIZE 512
#define LOG_SIZE 9

namespace complex
{
    float2 multiply(float2 a, float2 b)
    {
        return float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
    }

    float2 conjugate(float2 a) { return float2(a.x, -a.y); }

    float2 polar(float angle)
    {
        float2 result;
        sincos(angle, result.y, result.x);
        return result;
    }
}

cbuffer Transform : register(b0)
{
    uint columns;
    uint inverseTransform;
    float scale;
};

RWTexture2D<float2> field : register(u0);

groupshared float2 buffers[2][SIZE];

void butterfly(uint index, uint stage, uint from)
{
    const uint span = 1u << stage;
    const uint k = index & (span - 1);
    const float direction = inverseTransform ? 1.0 : -1.0;
    const float2 twiddle = complex::polar(direction * PI * float(k) / float(span));
    const float2 a = buffers[from][index];
    const float2 b = complex::multiply(twiddle, buffers[from][index + SIZE / 2]);
    const uint at = (index << 1) - k;
    buffers[1 - from][at] = a + b;
    buffers[1 - from][at + span] = a - b;
}

[numthreads(SIZE / 2, 1, 1)]
void CSMain(uint index : SV_GroupIndex, uint3 group : SV_GroupID)
{
    const uint line_ = group.x;
    for (uint h = 0; h < 2; ++h)
    {
        const uint at = index + h * (SIZE / 2);
        buffers[0][at] = columns ? field[uint2(line_, at)] : field[uint2(at, line_)];
    }
    GroupMemoryBarrierWithGroupSync();

    uint from = 0;
    [unroll]
    for (uint stage = 0; stage < LOG_SIZE; ++stage)
    {
        butterfly(index, stage, from);
        from = 1 - from;
        GroupMemoryBarrierWithGroupSync();
    }

    for (uint k = 0; k < 2; ++k)
    {
        const uint at = index + k * (SIZE / 2);
        const float2 value = buffers[from][at] * scale;
        if (columns)
            field[uint2(line_, at)] = value;
        else
            field[uint2(at, line_)] = value;
    }
}

struct Spectrum
{
    float2 amplitude;
    float2 conjugateAmplitude;
    float frequency;
    float2 wave;
};

StructuredBuffer<Spectrum> spectrum : register(t0);
RWTexture2D<float2> heights : register(u1);
RWTexture2D<float2> slopes : register(u2);

cbuffer Ocean : register(b1)
{
    float seconds;
    float choppiness;
};

[numthreads(8, 8, 1)]
void CSAnimate(uint3 id : SV_DispatchThreadID)
{
    const Spectrum s = spectrum[id.y * SIZE + id.x];
    const float2 turn = complex::polar(s.frequency * seconds);
    const float2 height = complex::multiply(s.amplitude, turn)
                        + complex::multiply(s.conjugateAmplitude, complex::conjugate(turn));
    const float len = max(length(s.wave), EPSILON);
    heights[id.xy] = height;
    slopes[id.xy] = complex::multiply(height, float2(-s.wave.y, s.wave.x) / len) * choppiness;
}
