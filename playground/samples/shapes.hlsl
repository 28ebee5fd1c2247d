// Distance fields, marched: a sphere and a box that melt into each other above a floor.
cbuffer Frame : register(b0)
{
    float2 resolution;
    float time;
    float blend;       // 0.05 .. 1 = 0.4
    float3 tint;       // = #e07840
    float shininess;   // 4 .. 128 = 32
    float2 lightAngle; // -1.5 .. 1.5 = 0.7, 0.6
    int steps;         // 16 .. 128 = 72
};

static const float farAway = 20.0;

struct Hit
{
    float distance;
    int material;
};

Hit nearer(Hit a, Hit b)
{
    if (a.distance < b.distance)
        return a;
    return b;
}

float smoothUnion(float a, float b, float k)
{
    const float h = saturate(0.5 + 0.5 * (b - a) / k);
    return lerp(b, a, h) - k * h * (1.0 - h);
}

float box(float3 p, float3 size)
{
    const float3 q = abs(p) - size;
    return length(max(q, 0.0)) + min(max(q.x, max(q.y, q.z)), 0.0) - 0.05;
}

float3 turned(float3 p, float angle)
{
    float s, c;
    sincos(angle, s, c);
    return float3(c * p.x + s * p.z, p.y, c * p.z - s * p.x);
}

Hit scene(float3 p)
{
    const float3 centre = float3(0.9 * sin(time), 0.25 + 0.2 * cos(time * 1.3), 0.0);
    const float sphere = length(p - centre) - 0.6;
    const float cube = box(turned(p, time * 0.4), float3(0.5, 0.5, 0.5));
    const Hit shape = { smoothUnion(sphere, cube, blend), 1 };
    const Hit ground = { p.y + 0.8, 0 };
    return nearer(shape, ground);
}

float3 normalAt(float3 p)
{
    const float2 e = float2(0.001, -0.001);
    return normalize(e.xyy * scene(p + e.xyy).distance + e.yyx * scene(p + e.yyx).distance +
                     e.yxy * scene(p + e.yxy).distance + e.xxx * scene(p + e.xxx).distance);
}

float shadow(float3 origin, float3 direction)
{
    float light = 1.0, t = 0.05;
    for (int i = 0; i < 24 && t < 6.0; ++i)
    {
        const float d = scene(origin + direction * t).distance;
        light = min(light, 10.0 * d / t);
        t += clamp(d, 0.02, 0.4);
    }
    return saturate(light);
}

float4 main(float2 uv : TEXCOORD0) : SV_Target
{
    const float2 screen = (uv * 2.0 - 1.0) * float2(resolution.x / resolution.y, -1.0);
    const float3 origin = float3(0.0, 0.6, -3.4);
    const float3 ray = normalize(float3(screen, 1.8) - float3(0.0, 0.25, 0.0));

    float t = 0.0;
    Hit hit = { farAway, 0 };
    for (int i = 0; i < steps && t < farAway; ++i)
    {
        hit = scene(origin + ray * t);
        if (hit.distance < 0.001)
            break;
        t += hit.distance;
    }
    const float3 sky = lerp(float3(0.75, 0.82, 0.9), float3(0.25, 0.4, 0.65), saturate(ray.y * 1.5 + 0.2));
    if (t >= farAway)
        return float4(sky, 1.0);

    const float3 p = origin + ray * t, n = normalAt(p);
    const float3 light = normalize(float3(sin(lightAngle.x), 0.3 + lightAngle.y, -cos(lightAngle.x)));
    const float3 checks = fmod(abs(floor(p.x) + floor(p.z)), 2.0) < 0.5 ? 0.75 : 0.45;
    const float3 albedo = hit.material == 1 ? tint : checks;
    const float lit = saturate(dot(n, light)) * shadow(p + n * 0.01, light);
    const float shine = pow(saturate(dot(reflect(ray, n), light)), shininess) * lit;
    const float3 colour = albedo * (0.25 * sky + lit) + shine * 0.5;
    return float4(pow(lerp(colour, sky, saturate(t / farAway)), 1.0 / 2.2), 1.0);
}
