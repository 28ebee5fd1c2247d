// Constants, small helpers and macros that every shader may want.
#ifndef COMMON_HLSLI
#define COMMON_HLSLI

static const float PI = 3.14159265358979;
static const float TWO_PI = 2.0 * PI;
static const float HALF_PI = 0.5 * PI;
static const float INV_PI = 1.0 / PI;
static const float EPSILON = 1e-5;

#define FLIP_V(uv) float2((uv).x, 1.0 - (uv).y)
#define CONCAT_(a, b) a##b
#define CONCAT(a, b) CONCAT_(a, b)
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))

template <typename T>
T square(T x)
{
    return x * x;
}

template <typename T>
void swap(inout T a, inout T b)
{
    T kept = a;
    a = b;
    b = kept;
}

template <typename T>
T remap(T value, T low, T high, T newLow, T newHigh)
{
    return newLow + (value - low) / (high - low) * (newHigh - newLow);
}

float maxComponent(float2 v) { return max(v.x, v.y); }
float maxComponent(float3 v) { return max(max(v.x, v.y), v.z); }
float maxComponent(float4 v) { return max(max(v.x, v.y), max(v.z, v.w)); }
float minComponent(float3 v) { return min(min(v.x, v.y), v.z); }

float luminance(float3 colour)
{
    return dot(colour, float3(0.2126, 0.7152, 0.0722));
}

/// View-space distance of a depth buffer value; `planes` is (near, far).
float linearDepth(float depth, float2 planes)
{
    return planes.x * planes.y / (planes.y - depth * (planes.y - planes.x));
}

float3x3 tangentFrame(float3 normal, float4 tangent)
{
    const float3 t = normalize(tangent.xyz - normal * dot(tangent.xyz, normal));
    const float3 b = cross(normal, t) * tangent.w;
    return float3x3(t, b, normal);
}

/// An orthonormal basis around a direction, without branches.
void basis(float3 n, out float3 t, out float3 b)
{
    const float s = n.z >= 0.0 ? 1.0 : -1.0;
    const float a = -1.0 / (s + n.z);
    const float c = n.x * n.y * a;
    t = float3(1.0 + s * n.x * n.x * a, s * c, -s * n.x);
    b = float3(c, s + n.y * n.y * a, -n.y);
}

#endif
