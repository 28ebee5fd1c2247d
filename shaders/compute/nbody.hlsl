// Gravity among all bodies: tiles of positions in group-shared memory, velocity Verlet, softened distances.
#include "common.hlsli"

#define TILE 64

struct Body
{
    float4 positionAndMass;
    float3 velocity;
    float heat;
};

struct Simulation
{
    uint count;
    float step;
    float softening;
    float damping;
    float gravity;
    float3 centre;
};

ConstantBuffer<Simulation> simulation : register(b0);
StructuredBuffer<Body> before : register(t0);
RWStructuredBuffer<Body> after : register(u0);

groupshared float4 tile[TILE];

float3 pull(float3 at, float4 other, inout float potential)
{
    const float3 offset = other.xyz - at;
    const float d2 = dot(offset, offset) + square(simulation.softening);
    const float inverse = rsqrt(d2);
    potential -= other.w * inverse;
    return offset * (other.w * inverse * inverse * inverse);
}

[numthreads(TILE, 1, 1)]
void CSMain(uint3 id : SV_DispatchThreadID, uint index : SV_GroupIndex)
{
    const uint self = min(id.x, simulation.count - 1);
    Body body = before[self];
    float3 acceleration = 0.0;
    float potential = 0.0;

    const uint tiles = DIV_ROUND_UP(simulation.count, TILE);
    [loop]
    for (uint t = 0; t < tiles; ++t)
    {
        const uint source = t * TILE + index;
        tile[index] = source < simulation.count ? before[source].positionAndMass : float4(0.0, 0.0, 0.0, 0.0);
        GroupMemoryBarrierWithGroupSync();
        [unroll(8)]
        for (uint k = 0; k < TILE; ++k)
            acceleration += pull(body.positionAndMass.xyz, tile[k], potential);
        GroupMemoryBarrierWithGroupSync();
    }

    acceleration *= simulation.gravity;
    acceleration -= (body.positionAndMass.xyz - simulation.centre) * 1e-4;
    body.velocity = mad(acceleration, simulation.step, body.velocity) * simulation.damping;
    body.positionAndMass.xyz += body.velocity * simulation.step;
    body.heat = lerp(body.heat, length(acceleration) - potential * 1e-3, 0.1);
    if (id.x < simulation.count)
        after[id.x] = body;
}
