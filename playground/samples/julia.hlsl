// A Julia set. Complex numbers are a struct with operators, as HLSL 2021 has them.
float time;
float2 resolution;
float zoom;         // 0.4 .. 4 = 0.8
float radius;       // 0.7 .. 0.8 = 0.7885
int iterations;     // 16 .. 256 = 96
float3 tint;        // = #ff9050

struct Complex
{
    float re, im;

    Complex operator+(Complex other)
    {
        const Complex sum = { re + other.re, im + other.im };
        return sum;
    }

    Complex operator*(Complex other)
    {
        const Complex product = { re * other.re - im * other.im, re * other.im + im * other.re };
        return product;
    }

    float norm() { return re * re + im * im; }
};

float4 main(float2 uv : TEXCOORD0) : SV_Target
{
    const float2 p = (uv * 2.0 - 1.0) * float2(resolution.x / resolution.y, 1.0) / zoom;
    const Complex c = { radius * cos(2.2 + 0.1 * time), radius * sin(2.2 + 0.1 * time) };
    Complex z = { p.x, p.y };
    int i = 0;
    while (i < iterations && z.norm() < 64.0)
    {
        z = z * z + c;
        ++i;
    }
    if (i == iterations)
        return float4(0.02, 0.02, 0.05, 1.0);
    const float smoothed = i + 1.0 - log2(0.5 * log2(z.norm()));
    const float3 colour = 0.5 + 0.5 * cos(0.15 * smoothed + float3(0.0, 0.6, 1.2));
    return float4(colour * lerp(1.0, tint, 0.6), 1.0);
}
