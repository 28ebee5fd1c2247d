// What the particle passes share.
#pragma once

struct Particle
{
    float3 position;
    float age;
    float3 velocity;
    float lifetime;
    uint colour;        // 8 bits each
    float size;
    float rotation;
    float spin;
};

struct Emitter
{
    row_major float4x3 transform;
    float3 direction;
    float spread;
    float2 speed;
    float2 lifetime;
    float2 size;
    uint count;
    uint seed;
    float4 colours[2];
};

struct ParticleCounters
{
    uint alive;
    uint dead;
    uint emitted;
    uint drawn;
};
