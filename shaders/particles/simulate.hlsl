// Particles on the GPU: emission from a dead list, simulation with curl noise and collisions, arguments for the draw.
#include "particles.hlsli"
#include "noise.hlsli"
#include "packing.hlsli"

cbuffer Step : register(b0)
{
    float4x4 viewProjection;
    float3 gravity;
    float deltaTime;
    float4 planes[2];
    float2 depthPlanes;
    float drag;
    float turbulence;
    uint capacity;
    uint frame;
};

ConstantBuffer<Emitter> emitter : register(b1);
Texture2D<float> sceneDepth : register(t0);
SamplerState pointClamp : register(s0);
RWStructuredBuffer<Particle> particles : register(u0);
ConsumeStructuredBuffer<uint> deadIn : register(u1);
AppendStructuredBuffer<uint> deadOut : register(u2);
RWStructuredBuffer<uint> alive : register(u3);
RWStructuredBuffer<ParticleCounters> counters : register(u4);
RWByteAddressBuffer drawArguments : register(u5);

float3 curl(float3 p)
{
    const float e = 0.1;
    const float a = valueNoise(p.xy + float2(0, e)) - valueNoise(p.xy - float2(0, e));
    const float b = valueNoise(p.yz + float2(0, e)) - valueNoise(p.yz - float2(0, e));
    const float c = valueNoise(p.zx + float2(0, e)) - valueNoise(p.zx - float2(0, e));
    return float3(a - b, b - c, c - a) / (2.0 * e);
}

[numthreads(64, 1, 1)]
void CSEmit(uint3 id : SV_DispatchThreadID)
{
    if (id.x >= emitter.count)
        return;
    const int left = int(counters[0].dead) - int(id.x);
    if (left <= 0)
        return;

    Random random;
    random.state = hash(uint3(id.x, frame, emitter.seed));
    Particle p;
    p.position = mul(float4(random.direction() * random.unit(), 1.0), emitter.transform);
    p.velocity = normalize(lerp(emitter.direction, random.direction(), emitter.spread));
    p.velocity *= random.between(emitter.speed.x, emitter.speed.y);
    p.lifetime = random.between(emitter.lifetime.x, emitter.lifetime.y);
    p.age = 0.0;
    p.size = random.between(emitter.size.x, emitter.size.y);
    p.rotation = random.between(0.0, 6.2831853);
    p.spin = random.between(-1.0, 1.0);
    p.colour = packUnorm4(lerp(emitter.colours[0], emitter.colours[1], random.unit()));

    const uint slot = deadIn.Consume();
    particles[slot] = p;
    InterlockedAdd(counters[0].emitted, 1);
}

bool collide(inout Particle p)
{
    bool hit = false;
    for (int i = 0; i < 2; ++i)
    {
        const float distance = dot(planes[i], float4(p.position, 1.0)) - p.size * 0.5;
        if (distance >= 0.0)
            continue;
        p.position -= planes[i].xyz * distance;
        p.velocity = reflect(p.velocity, planes[i].xyz) * 0.6;
        hit = true;
    }
    return hit;
}

[numthreads(128, 1, 1)]
void CSSimulate(uint3 id : SV_DispatchThreadID)
{
    if (id.x >= capacity)
        return;
    Particle p = particles[id.x];
    if (p.age >= p.lifetime)
        return;
    p.age += deltaTime;
    if (p.age >= p.lifetime)
    {
        particles[id.x].age = p.age;
        deadOut.Append(id.x);
        InterlockedAdd(counters[0].dead, 1);
        return;
    }
    p.velocity += (gravity + curl(p.position * 0.5) * turbulence) * deltaTime;
    p.velocity *= exp(-drag * deltaTime);
    p.position += p.velocity * deltaTime;
    p.rotation += p.spin * deltaTime;
    if (collide(p))
        p.spin = -p.spin;
    particles[id.x] = p;

    const float4 clip = mul(viewProjection, float4(p.position, 1.0));
    if (all(abs(clip.xy) <= clip.w + p.size))
    {
        uint slot;
        InterlockedAdd(counters[0].drawn, 1, slot);
        alive[slot] = id.x;
    }
}

[numthreads(1, 1, 1)]
void CSArguments()
{
    const ParticleCounters c = counters[0];
    drawArguments.Store4(0, uint4(6, c.drawn, 0, 0));
    drawArguments.Store3(16, uint3((c.drawn + 63) / 64, 1, 1));
    counters[0].drawn = 0;
    counters[0].emitted = 0;
}
