// Water: Gerstner waves in the vertex shader, refraction, depth fog, foam and sun glitter in the pixel shader.
#include "frame.hlsli"
#include "common.hlsli"

#define WAVES 4

struct Wave
{
    float2 direction;
    float steepness;
    float wavelength;
};

struct WaterConstants
{
    Wave waves[WAVES];
    float3 absorption;
    float foamDepth;
    float3 scatter;
    float distortion;
    column_major float3x4 placement;
};

ConstantBuffer<WaterConstants> water : register(b1);
Texture2D<float3> sceneColour : register(t0);
Texture2D<float> sceneDepth : register(t1);
Texture2D normalMap : register(t2);
TextureCube environment : register(t3);
SamplerState linearClamp : register(s0);
SamplerState linearWrap : register(s1);

struct Interpolants
{
    float4 clip : SV_Position;
    float3 world : POSITION;
    float3 normal : NORMAL;
    float4 screen : SCREEN;
};

float3 gerstner(Wave wave, float2 p, inout float3 tangent, inout float3 binormal)
{
    const float k = TWO_PI / wave.wavelength;
    const float speed = sqrt(9.81 / k);
    const float2 d = normalize(wave.direction);
    const float a = wave.steepness / k;
    float s, c;
    sincos(k * (dot(d, p) - speed * time), s, c);
    tangent += float3(-d.x * d.x * wave.steepness * s, d.x * wave.steepness * c, -d.x * d.y * wave.steepness * s);
    binormal += float3(-d.x * d.y * wave.steepness * s, d.y * wave.steepness * c, -d.y * d.y * wave.steepness * s);
    return float3(d.x * a * c, a * s, d.y * a * c);
}

Interpolants VSMain(float3 position : POSITION)
{
    float3 world = mul(water.placement, float4(position, 1.0));
    const float2 rest = world.xz;
    float3 tangent = float3(1.0, 0.0, 0.0), binormal = float3(0.0, 0.0, 1.0);
    for (int i = 0; i < WAVES; ++i)
        world += gerstner(water.waves[i], rest, tangent, binormal);

    Interpolants o;
    o.world = world;
    o.normal = normalize(cross(binormal, tangent));
    o.clip = toClip(world);
    o.screen = o.clip;
    return o;
}

float4 PSMain(Interpolants i) : SV_Target
{
    const float2 flow = windDirection * time * 0.02;
    const float2 n0 = normalMap.Sample(linearWrap, i.world.xz * 0.10 + flow).xy;
    const float2 n1 = normalMap.Sample(linearWrap, i.world.zx * 0.23 - flow).xy;
    const float2 ripple = (n0 + n1) - 1.0;
    const float3 n = normalize(i.normal + float3(ripple.x, 0.0, ripple.y));
    const float3 v = viewDirection(i.world);

    const float2 screen = FLIP_V(i.screen.xy / i.screen.w * 0.5 + 0.5);
    const float surfaceDepth = linearDepth(i.clip.z, camera.planes);
    float2 bent = screen + ripple * water.distortion;
    float behind = linearDepth(sceneDepth.SampleLevel(linearClamp, bent, 0), camera.planes);
    [flatten]
    if (behind < surfaceDepth)
    {
        bent = screen;
        behind = linearDepth(sceneDepth.SampleLevel(linearClamp, bent, 0), camera.planes);
    }
    const float thickness = max(behind - surfaceDepth, 0.0);

    const float3 transmittance = exp(-water.absorption * thickness);
    const float3 refracted = lerp(water.scatter, sceneColour.Sample(linearClamp, bent), transmittance);
    const float3 reflected = environment.Sample(linearWrap, reflect(-v, n)).rgb;
    const float fresnel = 0.02 + 0.98 * pow(1.0 - saturate(dot(n, v)), 5.0);
    const float glitter = pow(saturate(dot(n, normalize(v - sunDirection))), 512.0) * 8.0;
    const float foam = saturate(1.0 - thickness / water.foamDepth) * n0.y;

    float3 colour = lerp(refracted, reflected, fresnel) + glitter * sunColour;
    colour = lerp(colour, 1.0, foam);
    return float4(colour, 1.0);
}
