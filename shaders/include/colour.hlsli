// Colour spaces and tone curves.
#pragma once

namespace colour
{
    float3 toSrgb(float3 x)
    {
        float3 result;
        [unroll]
        for (int i = 0; i < 3; ++i)
            result[i] = x[i] <= 0.0031308 ? x[i] * 12.92 : 1.055 * pow(abs(x[i]), 1.0 / 2.4) - 0.055;
        return result;
    }

    float3 fromSrgb(float3 x)
    {
        const float3 low = x / 12.92;
        const float3 high = pow((abs(x) + 0.055) / 1.055, 2.4);
        return lerp(high, low, step(x, 0.04045));
    }

    float3 toYCoCg(float3 c)
    {
        return float3(0.25 * c.r + 0.5 * c.g + 0.25 * c.b, 0.5 * c.r - 0.5 * c.b, -0.25 * c.r + 0.5 * c.g - 0.25 * c.b);
    }

    float3 fromYCoCg(float3 c)
    {
        const float t = c.x - c.z;
        return float3(t + c.y, c.x + c.z, t - c.y);
    }

    namespace tone
    {
        static const float3x3 ACES_INPUT =
        {
            0.59719, 0.35458, 0.04823, 0.07600, 0.90834, 0.01566, 0.02840, 0.13383, 0.83777
        };
        static const float3x3 ACES_OUTPUT =
        {
            1.60475, -0.53108, -0.07367, -0.10208, 1.10813, -0.00605, -0.00327, -0.07276, 1.07602
        };

        float3 aces(float3 c)
        {
            c = mul(ACES_INPUT, c);
            const float3 a = c * (c + 0.0245786) - 0.000090537;
            const float3 b = c * (0.983729 * c + 0.4329510) + 0.238081;
            return saturate(mul(ACES_OUTPUT, a / b));
        }

        float3 reinhard(float3 c, float white)
        {
            const float l = dot(c, float3(0.2126, 0.7152, 0.0722));
            const float mapped = l * (1.0 + l / (white * white)) / (1.0 + l);
            return saturate(c * mapped / max(l, 1e-4));
        }

        float curve(float x)
        {
            const float A = 0.15, B = 0.50, C = 0.10, D = 0.20, E = 0.02, F = 0.30;
            return (x * (A * x + C * B) + D * E) / (x * (A * x + B) + D * F) - E / F;
        }

        float3 filmic(float3 c)
        {
            return saturate(float3(curve(c.r), curve(c.g), curve(c.b)) / curve(11.2));
        }
    }
}
