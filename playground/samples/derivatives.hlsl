// Automatic derivatives: a number that carries its gradient, for any vector type, by a template of HLSL 2021.
float time;
float2 resolution;
float frequency;    // 1 .. 12 = 5
float thickness;    // 0.5 .. 4 = 1.5

template<typename Gradient>
struct Dual
{
    float value;
    Gradient gradient;

    Dual<Gradient> operator+(Dual<Gradient> other)
    {
        const Dual<Gradient> sum = { value + other.value, gradient + other.gradient };
        return sum;
    }

    Dual<Gradient> operator*(Dual<Gradient> other)
    {
        const Dual<Gradient> product = { value * other.value, value * other.gradient + other.value * gradient };
        return product;
    }
};

template<typename Gradient>
Dual<Gradient> sine(Dual<Gradient> x)
{
    const Dual<Gradient> result = { sin(x.value), cos(x.value) * x.gradient };
    return result;
}

float4 main(float2 uv : TEXCOORD0) : SV_Target
{
    const float2 p = (uv * 2.0 - 1.0) * float2(resolution.x / resolution.y, 1.0) * frequency;
    const Dual<float2> x = { p.x, float2(1.0, 0.0) };
    const Dual<float2> y = { p.y, float2(0.0, 1.0) };
    const Dual<float2> t = { time * 0.5, float2(0.0, 0.0) };
    const Dual<float2> f = sine(x + sine(y + t)) * sine(y * sine(x + t) + t) + sine(x * x + y * y + t);

    // The gradient makes all lines of equal height equally thick.
    const float pixel = 2.0 * frequency / resolution.y;
    const float lines = abs(frac(f.value * 4.0) - 0.5) / (4.0 * length(f.gradient) * pixel * thickness + 1e-5);
    const float3 height = lerp(float3(0.1, 0.25, 0.45), float3(0.95, 0.75, 0.4), f.value * 0.3 + 0.5);
    return float4(height * lerp(0.25, 1.0, saturate(lines)), 1.0);
}
