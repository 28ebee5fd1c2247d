// Draws particles as billboards made in the vertex shader: soft edges against the scene, flip-book frames, stretching.
#include "frame.hlsli"
#include "particles.hlsli"
#include "packing.hlsli"
#include "common.hlsli"

enum class Facing { Camera, Velocity, Horizontal };

cbuffer Sprites : register(b1)
{
    uint2 flipbook;
    float flipbookSpeed;
    float softness;
    int facing;
    float stretch;
};

StructuredBuffer<Particle> particles : register(t0);
StructuredBuffer<uint> alive : register(t1);
Texture2D<float4> sprite : register(t2);
Texture2D<float> sceneDepth : register(t3);
SamplerState linearClamp : register(s0);

struct Interpolants
{
    float4 clip : SV_Position;
    float2 uv : TEXCOORD0;
    float2 nextUv : TEXCOORD1;
    nointerpolation float blend : TEXCOORD2;
    nointerpolation float4 colour : COLOR0;
    float depth : TEXCOORD3;
};

void axes(Particle p, out float3 right, out float3 up)
{
    const float3 forward = normalize(camera.position - p.position);
    switch ((Facing)facing)
    {
    case Facing::Velocity:
        up = normalize(p.velocity + float3(0.0, EPSILON, 0.0));
        right = normalize(cross(up, forward));
        up *= 1.0 + stretch * length(p.velocity);
        return;
    case Facing::Horizontal:
        right = float3(1.0, 0.0, 0.0);
        up = float3(0.0, 0.0, 1.0);
        break;
    default:
        right = normalize(cross(float3(0.0, 1.0, 0.0), forward));
        up = cross(forward, right);
        break;
    }
    float s, c;
    sincos(p.rotation, s, c);
    const float3 turned = right * c + up * s;
    up = up * c - right * s;
    right = turned;
}

float2 cellOf(uint frame)
{
    const uint index = frame % (flipbook.x * flipbook.y);
    return float2(index % flipbook.x, index / flipbook.x);
}

Interpolants VSMain(uint vertex : SV_VertexID, uint instance : SV_InstanceID)
{
    static const float2 CORNERS[6] =
    {
        float2(-1, -1), float2(1, -1), float2(-1, 1), float2(-1, 1), float2(1, -1), float2(1, 1)
    };
    const Particle p = particles[alive[instance]];
    const float2 corner = CORNERS[vertex];
    float3 right, up;
    axes(p, right, up);
    const float life = saturate(p.age / p.lifetime);
    const float size = p.size * (1.0 - square(square(life)));
    const float3 world = p.position + (right * corner.x + up * corner.y) * size * 0.5;

    Interpolants o;
    o.clip = toClip(world);
    o.depth = o.clip.w;
    const float frame = life * flipbookSpeed;
    const float2 uv = FLIP_V(corner * 0.5 + 0.5);
    o.uv = (cellOf(uint(frame)) + uv) / float2(flipbook);
    o.nextUv = (cellOf(uint(frame) + 1) + uv) / float2(flipbook);
    o.blend = frac(frame);
    o.colour = unpackUnorm4(p.colour);
    o.colour.a *= smoothstep(0.0, 0.1, life) * (1.0 - smoothstep(0.7, 1.0, life));
    return o;
}

float4 PSMain(Interpolants i) : SV_Target
{
    float4 c = lerp(sprite.Sample(linearClamp, i.uv), sprite.Sample(linearClamp, i.nextUv), i.blend) * i.colour;
#if SOFT
    const float behind = linearDepth(sceneDepth.Load(int3(i.clip.xy, 0)), camera.planes);
    c.a *= saturate((behind - i.depth) * softness);
#endif
#if PREMULTIPLIED
    c.rgb *= c.a;
#endif
    return c;
}
